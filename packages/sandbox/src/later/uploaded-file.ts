/** A form as clients upload a file with it → the file and its purpose. */

export interface UploadedFile {
  readonly name: string;
  readonly purpose: string;
  readonly content: Buffer;
}

/** Null: no form, or no file in it. */
export function uploadedFile(contentType: string, body: Buffer): UploadedFile | null {
  const boundary = /^multipart\/form-data;.*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  if (boundary === null) return null;
  const mark = Buffer.from(`--${boundary[1] ?? boundary[2]}`);
  let found: Omit<UploadedFile, 'purpose'> | null = null;
  let purpose = '';
  for (let from = body.indexOf(mark); from !== -1;) {
    const next = body.indexOf(mark, from + mark.length);
    if (next === -1) break;
    const part = body.subarray(from + mark.length + 2, next - 2);
    const head = part.indexOf('\r\n\r\n');
    const headers = part.subarray(0, Math.max(head, 0)).toString();
    const content = part.subarray(head + 4);
    const file = /;\s*filename="([^"]*)"/i.exec(headers);
    if (file !== null) found = { name: file[1]!, content: Buffer.from(content) };
    else if (/;\s*name="purpose"/i.test(headers)) purpose = content.toString();
    from = next;
  }
  return found === null ? null : { ...found, purpose };
}
