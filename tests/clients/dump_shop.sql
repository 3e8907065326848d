
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA shop;

ALTER SCHEMA shop OWNER TO postgres;

COMMENT ON SCHEMA shop IS 'the shop';

CREATE DOMAIN shop.email AS text NOT NULL
	CONSTRAINT email_at CHECK ((VALUE ~ '@'::text));

ALTER DOMAIN shop.email OWNER TO postgres;

CREATE DOMAIN shop.money_amount AS numeric(12,2) DEFAULT 0
	CONSTRAINT money_amount_check CHECK ((VALUE >= (0)::numeric));

ALTER DOMAIN shop.money_amount OWNER TO postgres;

COMMENT ON DOMAIN shop.money_amount IS 'never negative';

CREATE TYPE shop.order_state AS ENUM (
    'new',
    'paid',
    'shipped'
);

ALTER TYPE shop.order_state OWNER TO postgres;

COMMENT ON TYPE shop.order_state IS 'where an order is';

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE shop.order_lines (
    order_number bigint NOT NULL,
    line integer NOT NULL,
    sku character(8),
    qty integer,
    price shop.money_amount NOT NULL,
    CONSTRAINT order_lines_qty_check CHECK ((qty > 0))
);

ALTER TABLE shop.order_lines OWNER TO postgres;

COMMENT ON CONSTRAINT order_lines_qty_check ON shop.order_lines IS 'at least one';

CREATE MATERIALIZED VIEW shop.best AS
 SELECT order_lines.sku,
    sum(order_lines.qty) AS sold
   FROM shop.order_lines
  GROUP BY order_lines.sku
  WITH NO DATA;

ALTER TABLE shop.best OWNER TO postgres;

CREATE TABLE shop.customers (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    mail shop.email,
    name character varying(80),
    created date DEFAULT CURRENT_DATE,
    CONSTRAINT customers_name_check CHECK (((name)::text <> ''::text))
);

ALTER TABLE shop.customers OWNER TO postgres;

CREATE TABLE shop.orders (
    number bigint NOT NULL,
    customer uuid NOT NULL,
    state shop.order_state DEFAULT 'new'::shop.order_state NOT NULL,
    placed timestamp with time zone,
    note json,
    span interval,
    at time without time zone
);

ALTER TABLE shop.orders OWNER TO postgres;

CREATE SEQUENCE shop.order_number
    START WITH 1000
    INCREMENT BY 5
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER TABLE shop.order_number OWNER TO postgres;

ALTER SEQUENCE shop.order_number OWNED BY shop.orders.number;

COMMENT ON SEQUENCE shop.order_number IS 'numbers';

CREATE VIEW shop.order_total AS
 SELECT o.number,
    sum(((l.qty)::numeric * (l.price)::numeric)) AS total
   FROM (shop.orders o
     JOIN shop.order_lines l ON ((l.order_number = o.number)))
  GROUP BY o.number;

ALTER TABLE shop.order_total OWNER TO postgres;

CREATE TABLE shop.products (
    sku character(8) NOT NULL,
    label text NOT NULL,
    price shop.money_amount,
    weight real,
    dims double precision[],
    stock smallint DEFAULT 0 NOT NULL,
    data bytea
);

ALTER TABLE shop.products OWNER TO postgres;

ALTER TABLE ONLY shop.orders ALTER COLUMN number SET DEFAULT nextval('shop.order_number'::regclass);

COPY shop.customers (id, mail, name, created) FROM stdin;
11111111-1111-1111-1111-111111111111	a@b	Ann	2024-01-01
\.

COPY shop.order_lines (order_number, line, sku, qty, price) FROM stdin;
1000	1	AB      	2	9.99
1000	2	CD      	1	0.00
\.

COPY shop.orders (number, customer, state, placed, note, span, at) FROM stdin;
1000	11111111-1111-1111-1111-111111111111	paid	2024-01-02 03:04:05.6+00	{"a": 1}	1 day 02:00:00	10:11:12
\.

COPY shop.products (sku, label, price, weight, dims, stock, data) FROM stdin;
AB      	thing	9.99	1.5	{1.5,2}	3	\\x00ff
CD      	other	0.00	\N	\N	0	\N
\.

SELECT pg_catalog.setval('shop.order_number', 1000, true);

ALTER TABLE ONLY shop.customers
    ADD CONSTRAINT customers_mail_key UNIQUE (mail);

ALTER TABLE ONLY shop.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY shop.order_lines
    ADD CONSTRAINT order_lines_pkey PRIMARY KEY (order_number, line);

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (number);

ALTER TABLE ONLY shop.products
    ADD CONSTRAINT products_label_price_key UNIQUE (label, price);

ALTER TABLE ONLY shop.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (sku);

CREATE UNIQUE INDEX best_sku ON shop.best USING btree (sku);

CREATE INDEX lines_sku ON shop.order_lines USING hash (sku);

CREATE INDEX orders_open ON shop.orders USING btree (customer, placed) WHERE (state <> 'shipped'::shop.order_state);

ALTER TABLE ONLY shop.order_lines
    ADD CONSTRAINT order_lines_order_number_fkey FOREIGN KEY (order_number) REFERENCES shop.orders(number) ON DELETE CASCADE;

ALTER TABLE ONLY shop.order_lines
    ADD CONSTRAINT order_lines_sku_fkey FOREIGN KEY (sku) REFERENCES shop.products(sku) ON UPDATE CASCADE;

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_customer_fkey FOREIGN KEY (customer) REFERENCES shop.customers(id) ON DELETE RESTRICT;

REFRESH MATERIALIZED VIEW shop.best;

