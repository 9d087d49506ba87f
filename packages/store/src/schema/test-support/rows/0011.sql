update call_record set audio_input_tokens = 3, audio_output_tokens = 2,
    tool_calls = '{"webSearch":1,"webFetch":1,"fileSearch":1,"codeInterpreter":1}' where id = 'req_00000000000000000000000000000001';
