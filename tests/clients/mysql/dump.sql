-- What mariadb-dump writes again.
CREATE TABLE customer (id INT NOT NULL AUTO_INCREMENT, name VARCHAR(40) NOT NULL, since DATE DEFAULT NULL, PRIMARY KEY (id), UNIQUE KEY name (name));
CREATE TABLE bill (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, customer_id INT NOT NULL, amount DECIMAL(10,2) NOT NULL DEFAULT 0.00, note TEXT, PRIMARY KEY (id), KEY customer_id (customer_id), CONSTRAINT bill_customer FOREIGN KEY (customer_id) REFERENCES customer (id));
INSERT INTO customer (name, since) VALUES ('ann', '2020-01-02'), ('it''s \\ bob', NULL);
INSERT INTO bill (customer_id, amount, note) VALUES (1, 1.25, NULL), (2, 7, 'line\nbreak');
