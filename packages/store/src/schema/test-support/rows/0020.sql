insert into "server_settings" ("only", "settings") values (1, '{"providerUrls":{"openai":"https://api.openai.com","anthropic":"https://api.anthropic.com"},"upstreamAllow":[],"sandbox":false}');
