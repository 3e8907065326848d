-- An auction, in the style of RUBiS: users register, sell items, bid on them, buy them at once, and auctions close.
--
-- Written as an application writes it, as functions and procedures in PL/pgSQL. Where nobody sees who
-- writes the same, at EC and CC, two users may get one name, and of two ratings one may be lost.
CREATE TABLE users (
  u_id int PRIMARY KEY,
  u_name text NOT NULL UNIQUE,
  u_rating int NOT NULL DEFAULT 0
);
CREATE TABLE items (
  i_id int PRIMARY KEY,
  i_seller int NOT NULL REFERENCES users (u_id),
  i_reserve int NOT NULL CHECK (i_reserve >= 0),
  i_buy_now int,
  i_quantity int NOT NULL CHECK (i_quantity >= 0),
  i_max_bid int NOT NULL DEFAULT 0,
  i_bids int NOT NULL DEFAULT 0,
  i_open boolean NOT NULL DEFAULT true
);
CREATE TABLE bids (
  b_item int REFERENCES items (i_id),
  b_number int,
  b_user int NOT NULL REFERENCES users (u_id),
  b_amount int NOT NULL CHECK (b_amount > 0),
  PRIMARY KEY (b_item, b_number)
);
CREATE TABLE sales (
  s_item int,
  s_buyer int,
  s_price int NOT NULL,
  PRIMARY KEY (s_item, s_buyer)
);
CREATE TABLE comments (
  c_from int,
  c_to int,
  c_item int,
  c_rating int NOT NULL CHECK (c_rating BETWEEN -5 AND 5),
  PRIMARY KEY (c_from, c_to, c_item)
);

-- Bids are numbered from one, and the item knows how many there are and the highest.
-- invariant for b in bids, i in items: b.b_item <> i.i_id
--   or (b.b_number <= i.i_bids and b.b_amount <= i.i_max_bid)
-- invariant bids: b_number > 0
-- invariant items: i_bids >= 0 and i_max_bid >= 0

CREATE FUNCTION register_user(p_id int, p_name text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM users WHERE u_name = p_name OR u_id = p_id) THEN
    RETURN false;
  END IF;
  INSERT INTO users (u_id, u_name) VALUES (p_id, p_name);
  RETURN true;
END $$;

-- requires p_reserve >= 0 and p_quantity > 0
CREATE PROCEDURE sell_item(p_item int, p_seller int, p_reserve int, p_buy_now int, p_quantity int)
LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM users WHERE u_id = p_seller) THEN
    RAISE EXCEPTION 'no user %', p_seller;
  END IF;
  INSERT INTO items (i_id, i_seller, i_reserve, i_buy_now, i_quantity)
    VALUES (p_item, p_seller, p_reserve, p_buy_now, p_quantity)
    ON CONFLICT (i_id) DO NOTHING;
END $$;

-- requires p_amount > 0
CREATE FUNCTION place_bid(p_item int, p_user int, p_amount int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_item items%ROWTYPE;
BEGIN
  SELECT * INTO v_item FROM items WHERE i_id = p_item;
  IF NOT FOUND OR NOT v_item.i_open OR p_amount <= GREATEST(v_item.i_max_bid, v_item.i_reserve) THEN
    RETURN false;
  END IF;
  INSERT INTO bids (b_item, b_number, b_user, b_amount)
    VALUES (p_item, v_item.i_bids + 1, p_user, p_amount);
  UPDATE items SET i_max_bid = p_amount, i_bids = v_item.i_bids + 1 WHERE i_id = p_item;
  RETURN true;
END $$;

-- requires p_quantity > 0
CREATE PROCEDURE buy_now(p_item int, p_user int, p_quantity int) LANGUAGE plpgsql AS $$
DECLARE
  v_price int;
  v_left int;
BEGIN
  SELECT i_buy_now, i_quantity INTO v_price, v_left FROM items WHERE i_id = p_item AND i_open;
  IF v_price IS NULL OR v_left < p_quantity THEN
    RAISE EXCEPTION 'not for sale';
  END IF;
  UPDATE items SET i_quantity = v_left - p_quantity, i_open = v_left > p_quantity WHERE i_id = p_item;
  INSERT INTO sales (s_item, s_buyer, s_price) VALUES (p_item, p_user, v_price * p_quantity)
    ON CONFLICT (s_item, s_buyer) DO UPDATE SET s_price = sales.s_price + excluded.s_price;
END $$;

CREATE FUNCTION close_auction(p_item int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_open boolean;
  v_best int;
  v_winner int;
BEGIN
  SELECT i_open INTO v_open FROM items WHERE i_id = p_item;
  IF v_open IS NOT TRUE THEN
    RETURN NULL;
  END IF;
  UPDATE items SET i_open = false WHERE i_id = p_item;
  SELECT MAX(b_amount) INTO v_best FROM bids WHERE b_item = p_item;
  IF v_best IS NOT NULL THEN
    SELECT b_user INTO v_winner FROM bids WHERE b_item = p_item AND b_amount = v_best
      ORDER BY b_number LIMIT 1;
    INSERT INTO sales (s_item, s_buyer, s_price) VALUES (p_item, v_winner, v_best);
  END IF;
  RETURN v_winner;
END $$;

-- requires p_rating between -5 and 5 and p_from <> p_to
CREATE PROCEDURE comment_on(p_from int, p_to int, p_item int, p_rating int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO comments VALUES (p_from, p_to, p_item, p_rating);
  UPDATE users SET u_rating = u_rating + p_rating WHERE u_id = p_to;
END $$;

CREATE FUNCTION bid_history(p_item int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_count int;
  v_bids int;
BEGIN
  SELECT i_bids INTO v_bids FROM items WHERE i_id = p_item;
  SELECT count(*) INTO v_count FROM bids WHERE b_item = p_item;
  RETURN v_bids - v_count;
END $$;

CREATE PROCEDURE withdraw_user(p_user int) LANGUAGE plpgsql AS $$
DECLARE
  r record;
BEGIN
  FOR r IN SELECT i_id, i_bids FROM items WHERE i_seller = p_user AND i_open LOOP
    IF r.i_bids > 0 THEN
      RAISE EXCEPTION 'item % has bids', r.i_id;
    END IF;
    UPDATE items SET i_open = false WHERE i_id = r.i_id;
  END LOOP;
END $$;
