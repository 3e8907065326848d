-- Values that would be longer than a gigabyte.
SELECT length(repeat('x', 1 << 30));
SELECT length(repeat('xy', 1 << 30));
SELECT length(repeat('x', -1)), length(repeat('', 2000000000));
SELECT length(lpad('x', 1 << 30));
SELECT length(rpad('x', 2000000000, 'ab'));
SELECT length(format('%1073741824s', 'x'));
SELECT length(format('%-1073741824s', 'x'));
SELECT length(replace(repeat('x', 100000), 'x', repeat('y', 100000)));
SELECT length(replace(repeat('x', 1000), 'x', repeat('y', 1000)));
SELECT length(concat_ws(', ', 'a', null, 'b')), concat_ws('-', null, 'a', ''), concat_ws('-');
SELECT length(string_agg(repeat('x', 1000), ', ')) FROM generate_series(1, 1000);
SELECT format('%5s|%-5s|', 'a', 'b'), length(format('%2000000s', 'é'));
