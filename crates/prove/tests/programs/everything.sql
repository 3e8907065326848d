-- Every construct that is read, once. It makes no sense as an application.
SET client_min_messages = warning;
DROP TABLE IF EXISTS item;

CREATE SEQUENCE item_number;
CREATE TABLE shop (
  id serial PRIMARY KEY,
  name varchar(20) NOT NULL UNIQUE,
  opened date DEFAULT current_date,
  open boolean NOT NULL DEFAULT true
);
CREATE TABLE "Item" (
  shop int NOT NULL REFERENCES shop ON DELETE CASCADE,
  number bigint DEFAULT nextval('item_number'),
  price numeric(10, 2) NOT NULL DEFAULT 9.50 CHECK (price >= 0),
  stock int NOT NULL DEFAULT 0,
  seen timestamp with time zone,
  CONSTRAINT item_key PRIMARY KEY (shop, number),
  CHECK (stock BETWEEN -5 AND 1000 OR price > 1e3)
);
CREATE TABLE tree (parent int REFERENCES tree, id int, CONSTRAINT tree_key PRIMARY KEY (id));
CREATE TABLE log (at int GENERATED ALWAYS AS IDENTITY, shop int, what text);
CREATE INDEX log_by_shop ON log (shop);
CREATE UNIQUE INDEX ON log (shop, what);
ALTER TABLE log ADD CONSTRAINT log_shop FOREIGN KEY (shop) REFERENCES shop (id);
COMMENT ON TABLE log IS 'what happened; -- end';

-- invariant "Item": stock >= 0
-- invariant for i in "Item", s in shop: i.shop <> s.id
--   or s.open
--   or i.stock = 0

-- transaction queries(p_shop int, p_name text, p_items int[], p_many bigint) requires p_shop > 0
-- requires p_many between 1 and 10 and p_name <> 'it''s; -- end'
SELECT id, opened INTO STRICT v_id, v_opened FROM shop WHERE name = p_name;
SELECT COALESCE(MAX(number), 0) + 1 FROM "Item" INTO v_next WHERE shop = v_id;
SELECT count(*), COUNT(DISTINCT i.price), sum(stock), min(price) INTO v_all, v_prices, v_stock, v_least
  FROM "Item" AS i WHERE i.number = ANY (p_items) AND i.shop IN (1, 2, p_shop);
SELECT i.number INTO v_number FROM "Item" i JOIN shop s ON s.id = i.shop, log l
  WHERE l.shop = s.id AND NOT s.open AND i.number <> ALL (p_items)
  ORDER BY i.number DESC, 1 LIMIT 1 FOR UPDATE;
SELECT what, shop INTO r FROM log JOIN "Item" USING (shop) WHERE number = 1 FOR NO KEY UPDATE;
SELECT shop FROM log WHERE what = r.what AND shop = r.shop FOR KEY SHARE;
-- end

-- transaction expressions(p_a int, p_b int, p_d numeric, p_t text, p_o boolean)
v_null := NULL;
v_null := p_a;
v_int := -p_a + 2 * (p_b - 3) / 4 % 5;
v_dec := p_d * 1.25 - p_a::numeric / 3;
v_case := CASE WHEN p_a < p_b THEN 1 WHEN p_o IS TRUE THEN p_b ELSE NULL END;
v_simple := CASE p_a WHEN 1 THEN 'one' WHEN 2 THEN 'two' END;
v_least := LEAST(p_a, p_b, 7) + GREATEST(p_a, 0) + ABS(p_a - p_b) + mod(p_a, 3);
v_same := p_a IS NOT DISTINCT FROM p_b OR p_t IS DISTINCT FROM NULL;
v_rows := (p_a, p_b) = (1, 2) OR (p_a, p_t) IN ((1, 'x'), (2, 'y'));
v_nulls := NULLIF(p_a, 0) IS NULL AND p_o IS NOT FALSE AND p_o IS NOT UNKNOWN;
v_between := p_d NOT BETWEEN p_a AND 9;
v_number := choose();
v_time := now();
v_random := random() * 10;
v_in := p_a NOT IN (SELECT shop FROM log WHERE what = p_t);
v_any := p_a = ANY (SELECT id FROM shop) OR p_b = ANY (ARRAY[1, 2, 3]);
v_scalar := (SELECT max(stock) FROM "Item" WHERE shop = p_a) + p_b;
v_from := stock FROM "Item" WHERE shop = p_a AND number = p_b;
RETURN v_int>-1 AND v_null=+1;
-- end

-- transaction changes(p_shop int, p_name text, p_price numeric)
INSERT INTO shop (name) VALUES (p_name) RETURNING id, open INTO v_id, v_open;
INSERT INTO "Item" VALUES (v_id, 1, p_price, DEFAULT, now()), (v_id, 2, 1.5, 3, NULL);
INSERT INTO "Item" VALUES (v_id, 3);
INSERT INTO log (shop, what) VALUES (v_id, 'new');
INSERT INTO "Item" (shop, number, stock) VALUES (p_shop, 7, 1)
  ON CONFLICT (shop, number) DO UPDATE SET stock = "Item".stock + excluded.stock, seen = NULL;
INSERT INTO "Item" AS i (shop, number) VALUES (p_shop, 8) ON CONFLICT DO NOTHING;
INSERT INTO log (shop, what) SELECT shop, 'low' FROM "Item" WHERE stock < 3;
UPDATE "Item" AS i SET stock = i.stock - 1, (price, seen) = (p_price, DEFAULT)
  WHERE i.shop = p_shop AND i.number = 1 RETURNING i.stock, price * 2 INTO v_stock, v_price;
IF NOT FOUND THEN
  RAISE EXCEPTION 'no item % of %', 1, p_shop USING ERRCODE = 'P0001';
ELSIF v_stock < 0 OR EXISTS (SELECT * FROM log WHERE shop = p_shop) THEN
  ROLLBACK;
ELSE
  RAISE NOTICE 'left: %', v_stock;
END IF;
DELETE FROM log WHERE shop = p_shop AND what IN ('new', p_name);
DELETE FROM shop WHERE id = (SELECT shop FROM log ORDER BY shop LIMIT 1) RETURNING name;
INSERT INTO log DEFAULT VALUES;
-- end

-- transaction loops(p_items int[], p_shop int)
v_sum := 0;
FOREACH v_item IN ARRAY p_items LOOP
  FOR r IN SELECT number, stock AS left FROM "Item" WHERE shop = p_shop AND number > v_item ORDER BY 1 LOOP
    FOR v_one IN SELECT at FROM log WHERE shop = r.number LOOP
      v_sum := v_sum + r.left + v_one + v_one.at;
    END LOOP;
  END LOOP;
END LOOP;
FOR r IN SELECT id FROM tree WHERE parent IS NULL LOOP
  FOR s IN SELECT t.id FROM tree t JOIN log ON t.parent = log.shop WHERE t.parent = r.id LOOP
    v_sum := s.id;
  END LOOP;
END LOOP;
FOR s IN SELECT id, parent FROM tree LOOP
  v_sum := s.parent;
END LOOP;
FOR i IN 1 .. v_sum / 2 LOOP
  UPDATE "Item" SET stock = i WHERE shop = p_shop AND number = i;
END LOOP;
CASE v_sum
  WHEN 0, 1 THEN NULL;
  WHEN 2 THEN v_sum := 3;
END CASE;
CASE WHEN v_sum > 3 THEN RETURN; ELSE ASSERT v_sum < 9, 'small'; END CASE;
-- end

-- requires p_id > 0
CREATE OR REPLACE PROCEDURE public.Declared(IN p_id int, p_price numeric DEFAULT 1.0) -- requires p_price > 0
LANGUAGE plpgsql AS $body$
<<outer>>
DECLARE
  v_one int := p_id + 1;
  v_two CONSTANT text NOT NULL := 'two';
  v_stock "Item".stock%TYPE;
  v_copy v_one%TYPE = (SELECT max(at) FROM log);
  v_row shop%ROWTYPE;
  rec record;
BEGIN
  SELECT * INTO v_row FROM shop WHERE id = declared.p_id;
  SELECT stock, price INTO rec FROM "Item" WHERE shop = v_row.id AND "Item".number = v_one;
  v_stock := rec.stock;
  rec.price := p_price;
  DECLARE
    v_inner int;
    v_more int := v_one;
  BEGIN
    PERFORM 1 FROM log l WHERE l.shop = v_more AND l.what = v_two;
    v_inner := v_copy;
  END;
  FOR rec IN SELECT id FROM shop LOOP
    v_stock := v_stock + rec.id;
  END LOOP;
END $body$;

CREATE FUNCTION listing(p_shop int) RETURNS TABLE (number_of bigint) STABLE AS '
BEGIN
  RETURN QUERY SELECT number FROM "Item" WHERE shop = p_shop;
  IF NOT found THEN RAISE no_data_found; END IF;
END' LANGUAGE 'plpgsql';
