SELECT id, t, tu, s, su, m, mu, i, iu, b, bu, f, d, n, y, da, dt, ts, ti, c, v, tx, e, st FROM kinds ORDER BY id;
SELECT id, bi, bo, bn, vb FROM kinds WHERE id = 1;
SELECT id, name, amount FROM orders;
INSERT INTO orders (name) VALUES ('one'), ('two');
UPDATE orders SET amount = 2;
SELECT * FROM nowhere;
INSERT IGNORE INTO orders (name) VALUES ('one');
SHOW WARNINGS;
SELECT 1 AS a, 'b' AS b, NULL AS c, 2.50 AS d, 1e0 AS e, CURRENT_DATE > '2000-01-01' AS f;
USE mysql
SELECT DATABASE();
DELIMITER //
SELECT 1; SELECT 2//
DELIMITER ;
PREPARE s FROM 'SELECT ? + 1';
SET @one = 1;
EXECUTE s USING @one;
SELECT LENGTH(REPEAT('x', 17000000));
