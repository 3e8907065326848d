-- SmallBank whose WriteCheck locks the savings that it reads, so that two who use them never miss each other. SI: proved.
CREATE TABLE savings  (id INT PRIMARY KEY, bal INT NOT NULL);
CREATE TABLE checking (id INT PRIMARY KEY, bal INT NOT NULL);

-- transaction Balance(p_c int)
SELECT bal INTO v_s FROM savings WHERE id = p_c;
SELECT bal INTO v_k FROM checking WHERE id = p_c;
RETURN v_s + v_k;
-- end

-- transaction DepositChecking(p_c int, p_v int) requires p_v > 0
SELECT bal INTO v_k FROM checking WHERE id = p_c;
UPDATE checking SET bal = v_k + p_v WHERE id = p_c;
-- end

-- transaction TransactSavings(p_c int, p_v int)
SELECT bal INTO v_s FROM savings WHERE id = p_c;
IF v_s + p_v >= 0 THEN
  UPDATE savings SET bal = v_s + p_v WHERE id = p_c;
END IF;
-- end

-- transaction Amalgamate(p_a int, p_b int) requires p_a <> p_b
SELECT bal INTO v_s FROM savings WHERE id = p_a;
SELECT bal INTO v_k FROM checking WHERE id = p_a;
SELECT bal INTO v_t FROM checking WHERE id = p_b;
UPDATE savings SET bal = 0 WHERE id = p_a;
UPDATE checking SET bal = 0 WHERE id = p_a;
UPDATE checking SET bal = v_t + v_s + v_k WHERE id = p_b;
-- end

-- transaction WriteCheck(p_c int, p_v int) requires p_v > 0
SELECT bal INTO v_s FROM savings WHERE id = p_c FOR UPDATE;
SELECT bal INTO v_k FROM checking WHERE id = p_c;
IF v_s + v_k < p_v THEN
  UPDATE checking SET bal = v_k - p_v - 1 WHERE id = p_c;
ELSE
  UPDATE checking SET bal = v_k - p_v WHERE id = p_c;
END IF;
-- end
