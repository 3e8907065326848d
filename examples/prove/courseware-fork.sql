-- Courseware whose Enroll reads the student and the course before it decides anything. With Enroll at PSI, the others at EC and
-- the pairs of docs/prove.md serial, k = 4: a long fork of AddCourse, AddStudent, Enroll, Enroll. With Enroll at SI: none.
CREATE TABLE course   (id INT PRIMARY KEY, cap INT NOT NULL, n INT NOT NULL);
CREATE TABLE student  (id INT PRIMARY KEY);
CREATE TABLE enrolled (student INT, course INT, PRIMARY KEY (student, course));

-- transaction AddCourse(p_c int, p_cap int) requires p_cap > 0
IF NOT EXISTS (SELECT 1 FROM course WHERE id = p_c) THEN
  INSERT INTO course (id, cap, n) VALUES (p_c, p_cap, 0);
END IF;
-- end

-- transaction AddStudent(p_s int)
IF NOT EXISTS (SELECT 1 FROM student WHERE id = p_s) THEN
  INSERT INTO student (id) VALUES (p_s);
END IF;
-- end

-- transaction Enroll(p_s int, p_c int)
SELECT count(*) INTO v_students FROM student WHERE id = p_s;
SELECT cap, n INTO v_cap, v_n FROM course WHERE id = p_c;
IF v_students = 1 AND v_n IS NOT NULL AND v_n < v_cap THEN
  INSERT INTO enrolled (student, course) VALUES (p_s, p_c);
  UPDATE course SET n = v_n + 1 WHERE id = p_c;
END IF;
-- end

-- transaction RemCourse(p_c int)
IF NOT EXISTS (SELECT 1 FROM enrolled WHERE course = p_c) THEN
  DELETE FROM course WHERE id = p_c;
END IF;
-- end

-- transaction RemStudent(p_s int)
IF NOT EXISTS (SELECT 1 FROM enrolled WHERE student = p_s) THEN
  DELETE FROM student WHERE id = p_s;
END IF;
-- end
