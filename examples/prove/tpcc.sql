-- TPC-C: all five transactions, with their conditionals, loops, MIN and MAX.
--
-- What is simpler than in the benchmark (clause numbers are those of TPC-C 5.11):
--   * Columns that no transaction reads and nobody decides by are left out: addresses, phone numbers, discounts, dates of
--     birth, the carrier's name. Amounts are whole numbers, in cents.
--   * NewOrder (2.4) orders one piece of each item of an array, all from its own warehouse; an item that does not exist
--     rolls the transaction back, as 2.4.1.4 has it for one in a hundred. The number of a line is the item's.
--   * Payment (2.5) finds the customer by id, never by last name, and pays at the customer's own district.
--   * OrderStatus (2.6) finds the customer by id; the last order is the one with the greatest id.
--   * Delivery (2.7) serves one district in a transaction, which 2.7.2 allows if the queue is kept.
--   * StockLevel (2.8) looks at the last twenty orders and counts distinct items whose stock is low, by a join.
CREATE TABLE warehouse (
  w_id int PRIMARY KEY,
  w_ytd int NOT NULL
);
CREATE TABLE district (
  d_w_id int,
  d_id int,
  d_ytd int NOT NULL,
  d_next_o_id int NOT NULL,
  PRIMARY KEY (d_w_id, d_id)
);
CREATE TABLE customer (
  c_w_id int,
  c_d_id int,
  c_id int,
  c_balance int NOT NULL,
  c_ytd_payment int NOT NULL,
  c_payment_cnt int NOT NULL,
  c_delivery_cnt int NOT NULL,
  PRIMARY KEY (c_w_id, c_d_id, c_id)
);
CREATE TABLE history (
  h_w_id int NOT NULL,
  h_d_id int NOT NULL,
  h_c_id int NOT NULL,
  h_amount int NOT NULL
);
CREATE TABLE orders (
  o_w_id int,
  o_d_id int,
  o_id int,
  o_c_id int NOT NULL,
  o_carrier_id int,
  PRIMARY KEY (o_w_id, o_d_id, o_id)
);
CREATE TABLE new_order (
  no_w_id int,
  no_d_id int,
  no_o_id int,
  PRIMARY KEY (no_w_id, no_d_id, no_o_id)
);
CREATE TABLE order_line (
  ol_w_id int,
  ol_d_id int,
  ol_o_id int,
  ol_i_id int,
  ol_amount int NOT NULL,
  ol_delivered boolean NOT NULL,
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_i_id)
);
CREATE TABLE item (
  i_id int PRIMARY KEY,
  i_price int NOT NULL CHECK (i_price > 0)
);
CREATE TABLE stock (
  s_w_id int,
  s_i_id int,
  s_quantity int NOT NULL,
  s_order_cnt int NOT NULL,
  PRIMARY KEY (s_w_id, s_i_id)
);

-- Orders have ids below their district's next one, and what waits for delivery is an order.
-- invariant for o in orders, d in district: o.o_w_id <> d.d_w_id or o.o_d_id <> d.d_id
--   or o.o_id < d.d_next_o_id
-- invariant for n in new_order, d in district: n.no_w_id <> d.d_w_id or n.no_d_id <> d.d_id
--   or n.no_o_id < d.d_next_o_id
-- invariant for l in order_line, d in district: l.ol_w_id <> d.d_w_id or l.ol_d_id <> d.d_id
--   or l.ol_o_id < d.d_next_o_id
-- invariant orders: o_id > 0
-- invariant new_order: no_o_id > 0
-- invariant district: d_next_o_id > 0

-- transaction NewOrder(p_w int, p_d int, p_c int, p_items int[])
SELECT d_next_o_id INTO v_o FROM district WHERE d_w_id = p_w AND d_id = p_d;
IF v_o IS NULL THEN
  RAISE EXCEPTION 'no district % of warehouse %', p_d, p_w;
END IF;
UPDATE district SET d_next_o_id = v_o + 1 WHERE d_w_id = p_w AND d_id = p_d;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_carrier_id) VALUES (p_w, p_d, v_o, p_c, NULL);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (p_w, p_d, v_o);
FOREACH v_i IN ARRAY p_items LOOP
  SELECT i_price INTO v_price FROM item WHERE i_id = v_i;
  IF v_price IS NULL THEN
    RAISE EXCEPTION 'item % is not valid', v_i;
  END IF;
  SELECT s_quantity INTO v_quantity FROM stock WHERE s_w_id = p_w AND s_i_id = v_i;
  IF v_quantity >= 11 THEN
    UPDATE stock SET s_quantity = v_quantity - 1, s_order_cnt = s_order_cnt + 1
      WHERE s_w_id = p_w AND s_i_id = v_i;
  ELSE
    UPDATE stock SET s_quantity = v_quantity + 90, s_order_cnt = s_order_cnt + 1
      WHERE s_w_id = p_w AND s_i_id = v_i;
  END IF;
  INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_i_id, ol_amount, ol_delivered)
    VALUES (p_w, p_d, v_o, v_i, v_price, false);
END LOOP;
RETURN v_o;
-- end

-- transaction Payment(p_w int, p_d int, p_c int, p_amount int) requires p_amount > 0
UPDATE warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = p_w;
UPDATE district SET d_ytd = d_ytd + p_amount WHERE d_w_id = p_w AND d_id = p_d;
UPDATE customer
  SET c_balance = c_balance - p_amount, c_ytd_payment = c_ytd_payment + p_amount,
      c_payment_cnt = c_payment_cnt + 1
  WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;
INSERT INTO history (h_w_id, h_d_id, h_c_id, h_amount) VALUES (p_w, p_d, p_c, p_amount);
-- end

-- transaction OrderStatus(p_w int, p_d int, p_c int)
SELECT c_balance INTO v_balance FROM customer WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;
SELECT MAX(o_id) INTO v_o FROM orders WHERE o_w_id = p_w AND o_d_id = p_d AND o_c_id = p_c;
IF v_o IS NOT NULL THEN
  SELECT o_carrier_id INTO v_carrier FROM orders
    WHERE o_w_id = p_w AND o_d_id = p_d AND o_id = v_o;
  v_total := 0;
  FOR line IN SELECT ol_i_id, ol_amount, ol_delivered FROM order_line
      WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_o LOOP
    IF line.ol_delivered THEN
      v_total := v_total + line.ol_amount;
    END IF;
  END LOOP;
END IF;
RETURN v_balance;
-- end

-- transaction Delivery(p_w int, p_d int, p_carrier int)
SELECT MIN(no_o_id) INTO v_o FROM new_order WHERE no_w_id = p_w AND no_d_id = p_d;
IF v_o IS NOT NULL THEN
  DELETE FROM new_order WHERE no_w_id = p_w AND no_d_id = p_d AND no_o_id = v_o;
  SELECT o_c_id INTO v_c FROM orders WHERE o_w_id = p_w AND o_d_id = p_d AND o_id = v_o;
  UPDATE orders SET o_carrier_id = p_carrier WHERE o_w_id = p_w AND o_d_id = p_d AND o_id = v_o;
  SELECT COALESCE(SUM(ol_amount), 0) INTO v_total FROM order_line
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_o;
  UPDATE order_line SET ol_delivered = true
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_o;
  UPDATE customer SET c_balance = c_balance + v_total, c_delivery_cnt = c_delivery_cnt + 1
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = v_c;
END IF;
-- end

-- transaction StockLevel(p_w int, p_d int, p_threshold int)
SELECT d_next_o_id INTO v_next FROM district WHERE d_w_id = p_w AND d_id = p_d;
SELECT COUNT(DISTINCT s_i_id) INTO v_low FROM order_line
  JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id
  WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id >= v_next - 20 AND ol_o_id < v_next
    AND s_quantity < p_threshold;
RETURN v_low;
-- end
