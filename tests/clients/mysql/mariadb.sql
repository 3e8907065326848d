-- What people type into the command line of MariaDB.
DROP TABLE IF EXISTS item;
CREATE TABLE item (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20) NOT NULL, price DECIMAL(10,2) DEFAULT 1.50, KEY (price));
INSERT INTO item (name, price) VALUES ('one', 1), ('zwei ü', NULL);
SHOW TABLES;
DESCRIBE item;
SHOW CREATE TABLE item\G
SELECT * FROM item;
SELECT * FROM item WHERE name = 'one'\G
UPDATE item SET price = 2;
BEGIN;
DELETE FROM item;
ROLLBACK;
SELECT COUNT(*) FROM item;
SELECT nothing;
INSERT INTO item VALUES (1, 'again', 1);
SELECT 1/0;
SHOW WARNINGS;
USE shop
SELECT DATABASE(), USER() LIKE 'hob@%';
DROP TABLE item;
