insert into platform_address ("only", url) values (1, 'http://127.0.0.1:8081');
