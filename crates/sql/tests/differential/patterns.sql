-- Regular expressions: the examples of the manual, the cases of PostgreSQL's own tests, and corners of ours.

-- The operators and functions of 9.7.3.
SELECT 'thomas' ~ 't.*ma', 'thomas' ~* 'T.*ma', 'thomas' !~ 't.*max', 'thomas' !~* 'T.*ma';
SELECT 'abcd' ~ 'bc', 'abcd' ~ 'a.c', 'abcd' ~ 'x', 'abc' ~ 'abc', 'abc' ~ '^a', 'abc' ~ '(b|d)', 'abc' ~ '^(b|c)';
SELECT 'abc' SIMILAR TO 'abc', 'abc' SIMILAR TO 'a', 'abc' SIMILAR TO '%(b|d)%', 'abc' SIMILAR TO '(b|c)%';
SELECT '-abc-' SIMILAR TO '%\mabc\M%', 'xabcy' SIMILAR TO '%\mabc\M%';
SELECT substring('foobar' from 'o.b'), substring('foobar' from 'o(.)b'), substring('foobar', 'x');
SELECT substring('foobar' from '%#"o_b#"%' for '#'), substring('foobar' from '#"o_b#"%' for '#');
SELECT regexp_count('ABCABCAXYaxy', 'A.'), regexp_count('ABCABCAXYaxy', 'A.', 1, 'i');
SELECT regexp_instr('number of your street, town zip, FR', '[^,]+', 1, 2), regexp_instr('ABCDEFGHI', '(c..)(...)', 1, 1, 0, 'i', 2);
SELECT regexp_like('Hello World', 'world$', 'i');
SELECT regexp_match('foobarbequebaz', 'bar.*que'), regexp_match('foobarbequebaz', '(bar)(beque)');
SELECT regexp_matches('foo', 'not there');
SELECT regexp_matches('foobarbequebazilbarfbonk', '(b[^b]+)(b[^b]+)', 'g');
SELECT regexp_replace('foobarbaz', 'b..', 'X'), regexp_replace('foobarbaz', 'b..', 'X', 'g'), regexp_replace('foobarbaz', 'b(..)', 'X\1Y', 'g');
SELECT regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 1, 0, 'i'), regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 1, 3, 'i');
SELECT foo FROM regexp_split_to_table('the quick brown fox jumps over the lazy dog', '\s+') AS foo;
SELECT regexp_split_to_array('the quick brown fox jumps over the lazy dog', '\s+');
SELECT foo FROM regexp_split_to_table('the quick brown fox', '\s*') AS foo;
SELECT regexp_substr('number of your street, town zip, FR', '[^,]+', 1, 2), regexp_substr('ABCDEFGHI', '(c..)(...)', 1, 1, 'i', 2);

-- What is preferred: 9.7.3.5.
SELECT substring('XY1234Z', 'Y*([0-9]{1,3})'), substring('XY1234Z', 'Y*?([0-9]{1,3})');
SELECT regexp_match('abc01234xyz', '(.*)(\d+)(.*)'), regexp_match('abc01234xyz', '(.*?)(\d+)(.*)'), regexp_match('abc01234xyz', '(?:(.*?)(\d+)(.*)){1,1}');
SELECT regexp_match('foobar', 'foo|foobar'), regexp_match('foobar', '(foo|foobar)'), regexp_match('foobar', '(?:foo|foobar)??');
SELECT regexp_match('abcd', '(a|ab)(c|bcd)(d*)'), regexp_match('abcd', '(?:a|ab)(?:c|bcd)(d*)'), regexp_match('abcd', '(a|ab)(bcd|c)(d*)');
SELECT regexp_match('xabcabcabcx', '(?:abc)+?'), regexp_match('xabcabcabcx', '(?:abc)+'), regexp_match('xabcabcabcx', '(abc)+?x'), regexp_match('xabcabcabcx', 'x(abc)+?');
SELECT regexp_match('aaaa', 'a{2}'), regexp_match('aaaa', 'a{2}?'), regexp_match('aaaa', 'a{2,}?'), regexp_match('aaaa', 'a{2,3}'), regexp_match('aaaa', 'a{2,3}?'), regexp_match('aaaa', '(a{2,3}?)');
SELECT regexp_match('aaab', 'a*?b'), regexp_match('aaab', 'a*?'), regexp_match('aaab', '(a*?)(a*)'), regexp_match('aaab', '(a*)(a*?)'), regexp_match('aaab', 'a+?a*');
SELECT regexp_match('aabb', 'a*b*?'), regexp_match('aabb', 'a*?b*'), regexp_match('aabb', '(a*)(b*?)'), regexp_match('aabb', '(a*?)(b*)'), regexp_match('aabb', '(a*?)(b*)$');
SELECT regexp_match('<a><b>', '<.*>'), regexp_match('<a><b>', '<.*?>'), regexp_match('<a><b>', '<(.*?)>'), regexp_match('<a><b>', '(<.*?>)(.*)'), regexp_match('<a><b>', '(<.*>)(.*?)');
SELECT regexp_match('abab', '(a|b|ab)*'), regexp_match('abab', '(ab|a|b)*'), regexp_match('abab', '(a|b|ab)*?'), regexp_match('abab', '(?:(a)|(b)|(ab))*'), regexp_match('abab', '(?:(a)|(b)|(ab))*$');
SELECT regexp_match('aaa', '(a*)*'), regexp_match('aaa', '(a*)+'), regexp_match('b', '(a*)*'), regexp_match('b', '(a*)+'), regexp_match('b', '(a*)?'), regexp_match('b', '(a*){2}');
SELECT regexp_match('foo', '(foo|)'), regexp_match('foo', '(|foo)'), regexp_match('bar', '(foo|)'), regexp_match('x', '()'), regexp_match('x', '()*'), regexp_match('x', '(x|)*');
SELECT regexp_match('aXbX', '(.*?)X(.*)X'), regexp_match('aXbX', '(.*)X'), regexp_match('aXbX', '(.*?)X'), regexp_match('aXbX', '^(.*?)X'), regexp_match('aXbX', '^(.*?)X$');
SELECT regexp_match('2024-05-06', '(\d+)-(\d+)-(\d+)'), regexp_match('2024-05-06', '(\d+?)-(\d+)-(\d+)'), regexp_match('2024-05-06', '(\d{4})-(\d{1,2}?)');

-- Back references.
SELECT 'abcabc' ~ '(abc)\1', 'abcabd' ~ '(abc)\1', 'aa' ~ '^(a)\1$', 'aba' ~ '^(.)(.)\1$', 'abba' ~ '^(.)(.)\2\1$';
SELECT regexp_match('noon level', '(.)(.)\2\1'), regexp_match('bookkeeper', '(.)\1(.)\2(.)\3'), regexp_match('aaaa', '^(a+)\1$'), regexp_match('aaaaa', '^(a+)\1$');
SELECT regexp_match('aaaaaa', '^(a+?)\1+$'), regexp_match('aaaaaa', '^(a+)\1+$'), regexp_match('aaaaaa', '^(aa+)\1*$'), regexp_match('aaaaaa', '(a*)\1'), regexp_match('aaaaa', '(a*)\1{2}');
SELECT 'xyz' ~ 'x(\w)(?=\1)', 'xyy' ~ '(?:(x)|y)\1';
SELECT regexp_match('aAaA', '(a)\1', 'i'), regexp_match('ÄäÖö', '(.)\1', 'i'), regexp_match('ab', '(a)?\1b'), regexp_match('b', '(a)?\1b'), regexp_match('b', '(a*)\1b');
SELECT 'aa' ~ '(a){0}\1', 'a' ~ '(a){0}', 'abab' ~ '^((ab)\2)$', 'abcabcabc' ~ '^(abc)\1{2}$', 'abcabc' ~ '^(abc)\1{2}$', 'abc' ~ '^(abc)\1{0}$', 'abc' ~ '^(abc)\1?$';
SELECT regexp_match('foofoobar', '((?:foo)+)\1'), regexp_match('abcxabc', '^(\w+)x\1$'), regexp_match('12 12', '\y(\d+)\s+\1\y'), regexp_match('the the cat', '\m(\w+)\s+\1\M');
SELECT 'abcdefghijkk' ~ '(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)\11', 'aa1' ~ '(a)\11', E'a\t' ~ '(a)\11', 'x' ~ '\170', 'x8' ~ '\1708';
SELECT regexp_matches('Programmer', '(\w)(.*?\1)', 'g'), 'aa bb' ~ '(.)\1 (.)\2';
SELECT regexp_match('ababab', '^(?:(ab)|\1)+$'), regexp_match('xaxa', '(x(a)?)\1'), regexp_match('aabb', '(?:(.)\1)*'), regexp_match('aabb', '(?:(.)\1)+'), regexp_match('aab', '(?:(.)\1)*?b');
SELECT 'aaaaaaaaab' ~ '^(a*)(a*)\1\2b$', 'aaaaaaaab' ~ '^(a+)(a*)\1\2b$', 'abcabcabcd' ~ '^(.*)\1\1d$', regexp_match('xyxyxy', '^(..)(\1)*$');

-- Look-around.
SELECT 'foobar' ~ 'foo(?=bar)', 'foobaz' ~ 'foo(?=bar)', 'foobar' ~ 'foo(?!bar)', 'foobaz' ~ 'foo(?!bar)';
SELECT 'foobar' ~ '(?<=foo)bar', 'fobar' ~ '(?<=foo)bar', 'foobar' ~ '(?<!foo)bar', 'fobar' ~ '(?<!foo)bar';
SELECT regexp_matches('ab1cd2ef', '[a-z]+(?=\d)', 'g');
SELECT regexp_matches('ab1cd2ef', '(?<=\d)[a-z]+', 'g');
SELECT regexp_matches('ab1cd2ef', '(?<!\d)[a-z]', 'g');
SELECT regexp_replace('1234567', '(?<=\d)(?=(\d{3})+$)', ',', 'g'), regexp_replace('abc', '(?=b)', 'X'), regexp_replace('abc', '(?<=b)', 'X'), regexp_replace('abc', '(?!a)', 'X', 'g');
SELECT 'abc' ~ '(?=a)(?=ab)(?=abc)abc', 'abc' ~ '(?=a(?!c))abc', 'abc' ~ '(?=a(?=c))abc', 'abc' ~ 'c(?<=(?<=b)c)', 'abcd' ~ '(?<=a.*)d', 'bcd' ~ '(?<=a.*)d';
SELECT 'ab' ~ '(?<=^)a', 'ab' ~ 'b(?=$)', 'ab' ~ '(?<=^a)b', 'ab' ~ '(?<!^)a', 'password1' ~ '^(?=.*\d)(?=.*[a-z]).{8,}$', 'password' ~ '^(?=.*\d)(?=.*[a-z]).{8,}$';
SELECT regexp_match('foobar', '(?=(foo))'), regexp_match('foobar', '(?=(foo))(f)'), regexp_match('xyz', '(?!x)(.)'), regexp_match('aab', '(?=(a+))a*b');
SELECT 'a' ~ '(?=a)*';
SELECT 'a' ~ '(?=a){2}';
SELECT 'a' ~ '(a)(?=\1)';
SELECT 'a' ~ '(?<a)';
SELECT 'a' ~ '(?P<n>a)';
SELECT 'ab' ~ '(?:(?=a)|b)b', 'ab' ~ '((?=a)|b)+', regexp_match('aba', '(?:(?!ab).)+'), regexp_match('xxabxx', '^((?!ab).)*');

-- Constraints.
SELECT 'a b' ~ '\ma', 'a b' ~ 'a\M', 'ab' ~ 'a\M', 'ab' ~ '\mb', 'a b' ~ '\yb\y', 'ab' ~ 'a\Yb', 'a b' ~ 'a\Y', 'ab' ~ '[[:<:]]ab[[:>:]]', 'xab' ~ '[[:<:]]ab';
SELECT E'a\nb' ~ '^b', E'a\nb' ~ '(?n)^b', E'a\nb' ~ '(?w)^b', E'a\nb' ~ '(?p)^b', E'a\nb' ~ '(?n)a$', E'a\nb' ~ 'a$', E'a\nb' ~ '(?n)\Ab', E'a\nb' ~ '(?n)a\Z';
SELECT E'a\nb' ~ 'a.b', E'a\nb' ~ '(?n)a.b', E'a\nb' ~ '(?p)a.b', E'a\nb' ~ '(?w)a.b', E'a\nb' ~ '(?s)a.b', E'a\nb' ~ '(?n)a[^x]b', E'a\nb' ~ 'a[^x]b', E'a\nb' ~ '(?n)a\Db', E'a\nb' ~ '(?n)a[\D]b', E'a\nb' ~ '(?n)a\sb';
SELECT regexp_matches(E'one\ntwo\nthree', '^\w+$', 'gn');
SELECT regexp_matches(E'one\ntwo\n', '^', 'gn');
SELECT regexp_matches(E'one\ntwo\n', '$', 'gw');
SELECT regexp_replace(E'a\nb\n', '^', '> ', 'gn'), regexp_replace(E'a\nb\n', '$', ';', 'gn'), regexp_replace(E'a\nb\n', '\Z', ';', 'gn'), regexp_replace('abc', '\y', '|', 'g'), regexp_replace('ab cd', '\Y', '|', 'g');
SELECT 'ab' ~ 'a^b', 'ab' ~ 'a$b', 'ab' ~ '^^a', 'ab' ~ 'b$$', 'ab' ~ '(^a)', 'ab' ~ '(^|x)a', 'xa' ~ '(^|x)a', '' ~ '^$', '' ~ '', '' ~ '\y', '' ~ '\Y', '^' ~ '\^', '$' ~ '[$]';
SELECT 'a' ~ '^*';
SELECT 'a' ~ '$+';
SELECT 'a' ~ '\m*';
SELECT 'abc' ~ 'a\Zb', 'abc' ~ 'a\Ab', 'abc' ~ 'c\Z', 'abc' ~ '\Aa';

-- Quantifiers and bounds.
SELECT 'aaa' ~ '^a{3}$', 'aaa' ~ '^a{2}$', 'aaa' ~ '^a{2,}$', 'aaa' ~ '^a{2,3}$', 'aaa' ~ '^a{0}$', '' ~ '^a{0}$', 'aaa' ~ '^a{0,0}aaa$', repeat('a', 255) ~ '^a{255}$', repeat('a', 256) ~ '^a{255}$';
SELECT 'a{' ~ 'a{', 'a{,2}' ~ 'a{,2}', 'a{x}' ~ 'a{x}', 'a}' ~ 'a}', 'a{1' ~ 'a\{1', '{1}' ~ '{', 'a{2}{3}' ~ 'a\{2}\{3}';
SELECT 'a' ~ 'a{1';
SELECT 'a' ~ 'a{1,2';
SELECT 'a' ~ 'a{256}';
SELECT 'a' ~ 'a{1,256}';
SELECT 'a' ~ 'a{2,1}';
SELECT 'a' ~ 'a{1a}';
SELECT 'a' ~ 'a{1,a}';
SELECT 'a' ~ 'a**';
SELECT 'a' ~ 'a+*';
SELECT 'a' ~ 'a???';
SELECT 'a' ~ 'a{1}{2}';
SELECT 'a' ~ '*a';
SELECT 'a' ~ '+';
SELECT 'a' ~ '?';
SELECT 'a' ~ '{1}';
SELECT 'a' ~ '(*a)';
SELECT 'a' ~ 'a|*b';
SELECT 'a' ~ '((a{255}){255}){255}';
SELECT 'a' ~ '(a{100}){100}', 'a' ~ '((a?){20}){20}';
SELECT repeat('a', 300) ~ '^(?:a{100}){3}$', repeat('ab', 100) ~ '^(?:ab){100}$', repeat('ab', 100) ~ '^(?:ab){99}$', repeat('x', 1000) ~ '^(x+x+)+y';
SELECT 'a' ~ 'a|', 'b' ~ 'a|', 'b' ~ '|', 'b' ~ 'a||b', 'b' ~ '(|a)b', 'ab' ~ 'a(|c)b', '' ~ '()', 'ab' ~ 'a()b';

-- Parentheses.
SELECT 'a' ~ '(';
SELECT 'a' ~ ')';
SELECT 'a' ~ '(a';
SELECT 'a' ~ 'a)';
SELECT 'a' ~ '(?:a';
SELECT 'a' ~ '(?';
SELECT 'a' ~ '(?=';
SELECT 'a' ~ 'a(?#comment)b', 'ab' ~ 'a(?#comment)b', 'ab' ~ '(?#x)ab', 'ab' ~ 'ab(?#', 'aab' ~ '^a(?#x)*b';
SELECT regexp_match('abc', '((a)(b))(c)'), regexp_match('abc', '((((a))))'), regexp_match('abc', '(?:a)(?:(b))c'), regexp_match('ac', 'a(b)?c'), regexp_match('ac', 'a((b)|(c))'), regexp_match('abcde', '(a(b(c(d(e)))))');

-- Escapes.
SELECT E'\t' ~ '\t', E'\n' ~ '\n', E'\r' ~ '\r', E'\f' ~ '\f', E'\x0b' ~ '\v', E'\x07' ~ '\a', E'\x08' ~ '\b', E'\x1b' ~ '\e', '\' ~ '\B', '\' ~ '\\', E'\x01' ~ '\cA', E'\x1a' ~ '\cz';
SELECT 'A' ~ '\x41', 'A' ~ '\u0041', 'A' ~ '\U00000041', 'A' ~ '\101', 'é' ~ '\u00e9', 'é' ~ '\xe9', '😀' ~ '\U0001F600', 'A9' ~ '\x419', chr(1049) ~ '\x0419', 'A' ~ '\x0000000000000041';
SELECT 'a' ~ '\';
SELECT 'a' ~ '\q';
SELECT 'a' ~ '\u12';
SELECT 'a' ~ '\x';
SELECT 'a' ~ '\xg';
SELECT 'a' ~ '\U1';
SELECT 'a' ~ '\UFFFFFFFF';
SELECT 'a' ~ '\c';
SELECT 'a' ~ '\1';
SELECT 'a' ~ '(a)\2';
SELECT 'a' ~ '\89';
SELECT 'a' ~ '\i';
SELECT 'a.b' ~ 'a\.b', 'axb' ~ 'a\.b', '(a)' ~ '\(a\)', 'a|b' ~ 'a\|b', 'a-b' ~ 'a\-b', 'a/b' ~ 'a\/b', 'aéb' ~ 'a\éb', 'a]' ~ 'a]', '_' ~ '\_';
SELECT '7' ~ '\d', 'x' ~ '\d', 'x' ~ '\D', 'a_1' ~ '^\w+$', '-' ~ '\w', '-' ~ '\W', ' ' ~ '\s', 'x' ~ '\S', 'x' ~ '\s', 'é' ~ '\w', 'é' ~ '\W', '中' ~ '\w', '½' ~ '\w', '٣' ~ '\d', '٣' ~ '\w';
SELECT chr(160) ~ '\s', chr(8195) ~ '\s', chr(8199) ~ '\s', chr(12288) ~ '\s', chr(133) ~ '\s';

-- Brackets.
SELECT 'b' ~ '[abc]', 'd' ~ '[abc]', 'd' ~ '[^abc]', 'b' ~ '[a-c]', '-' ~ '[a-]', '-' ~ '[-a]', ']' ~ '[]]', ']' ~ '[^]]', 'a' ~ '[]a]', '^' ~ '[a^]', '^' ~ '[\^]', '\' ~ '[\\]', 'd' ~ '[\d]', '5' ~ '[\d]', '[' ~ '[[]', 'a' ~ '[[a]';
SELECT 'a' ~ '[[:alpha:]]', '1' ~ '[[:alpha:]]', '1' ~ '[[:digit:]]', 'f' ~ '[[:xdigit:]]', 'g' ~ '[[:xdigit:]]', ' ' ~ '[[:space:]]', ' ' ~ '[[:blank:]]', E'\n' ~ '[[:blank:]]', '!' ~ '[[:punct:]]', 'a' ~ '[[:punct:]]', 'A' ~ '[[:upper:]]', 'a' ~ '[[:upper:]]', 'a' ~ '[[:lower:]]', '_' ~ '[[:word:]]', 'a' ~ '[[:ascii:]]', 'é' ~ '[[:ascii:]]';
SELECT 'é' ~ '[[:alpha:]]', 'É' ~ '[[:upper:]]', 'é' ~ '[[:lower:]]', 'ß' ~ '[[:lower:]]', '中' ~ '[[:alpha:]]', '。' ~ '[[:punct:]]', '€' ~ '[[:punct:]]', '😀' ~ '[[:graph:]]', chr(7) ~ '[[:cntrl:]]', chr(7) ~ '[[:print:]]', ' ' ~ '[[:graph:]]', ' ' ~ '[[:print:]]';
SELECT 'a1-' ~ '^[[:alpha:][:digit:]-]+$', 'x' ~ '[^[:alpha:]]', '5' ~ '[^[:alpha:]]', 'a' ~ '[^\d]', '5' ~ '[^\d]', 'a' ~ '[\D]', 'a' ~ '[^\D]', '5' ~ '[^\D]', 'a' ~ '[\s\S]', 'a' ~ '[^\s\S]', '_' ~ '[\w-]', '-' ~ '[\w-]';
SELECT '-' ~ '[[.hyphen.]]', '-' ~ '[[.-.]]', 'a' ~ '[[.a.]]', 'b' ~ '[[.a.]-[.c.]]', 'a' ~ '[[=a=]]', 'b' ~ '[[=a=]]', E'\n' ~ '[[.newline.]]', '~' ~ '[[.tilde.]]', '0' ~ '[[.zero.]]';
SELECT 'b' ~ '[a-c-e]';
SELECT 'b' ~ '[c-a]';
SELECT 'b' ~ '[a-\d]';
SELECT 'b' ~ '[\d-z]';
SELECT 'b' ~ '[a';
SELECT 'b' ~ '[';
SELECT 'b' ~ '[]';
SELECT 'b' ~ '[^]';
SELECT 'b' ~ '[a[';
SELECT 'b' ~ '[[:alpha:]';
SELECT 'b' ~ '[[:alpha]]';
SELECT 'b' ~ '[[:nothing:]]';
SELECT 'b' ~ '[[::]]';
SELECT 'b' ~ '[[.nothing.]]';
SELECT 'b' ~ '[[..]]';
SELECT 'b' ~ '[[=ab=]]';
SELECT 'b' ~ '[\y]';
SELECT 'b' ~ '[\1]';
SELECT 'b' ~ '[\';
SELECT 'b' ~ '[a-a]', 'a' ~ '[a-a]', ',' ~ '[+--]', '-' ~ '[+--]', '.' ~ '[--/]', 'b' ~ '[[:<:]]b', 'b' ~ 'b[[:>:]]';
SELECT 'b' ~ 'a[[:<:]]b', 'a b' ~ '^[^[:space:]]+[[:space:]]', 'Б' ~ '[А-Я]', 'б' ~ '[А-Я]', 'б' ~* '[А-Я]', '😀' ~ '[😀-😎]', '中' ~ '[一-龥]';

-- Case.
SELECT 'ABC' ~* 'abc', 'abc' ~* 'ABC', 'ABC' ~ '(?i)abc', 'ABC' ~* '(?c)abc', 'É' ~* 'é', 'Σ' ~* 'σ', 'ς' ~* 'σ', 'ſ' ~* 's', 'K' ~* 'k', 'İ' ~* 'i', 'ß' ~* 'SS';
SELECT 'B' ~* '[a-c]', 'B' ~* '[^a-c]', 'b' ~* '[[:upper:]]', 'B' ~* '[[:lower:]]', '1' ~* '[[:upper:]]', 'a' ~* '[^[:upper:]]', '_' ~* '[Z-a]', 'm' ~* '[Z-a]', 'q' ~* '\x51';
SELECT regexp_match('FooBAR', 'o+b', 'i'), regexp_match('FooBAR', 'o+b', 'ic'), regexp_match('FooBAR', 'o+b', 'ci'), regexp_replace('aAbB', '[ab]', 'x', 'gi');

-- Directors and embedded options.
SELECT 'a.b' ~ '***=a.b', 'axb' ~ '***=a.b', 'a.b' ~ '***:a.b', 'axb' ~ '***:a.b', 'a(b' ~ '***=a(b', '***' ~ '***=***', 'AB' ~* '***=ab', 'AB' ~ '***:(?i)ab';
SELECT 'a' ~ '***a';
SELECT 'a' ~ '***?';
SELECT 'a' ~ '***';
SELECT 'a' ~ '(?z)a';
SELECT 'a' ~ '(?i';
SELECT 'a' ~ '(?i:a)';
SELECT 'a' ~ 'a(?i)';
SELECT 'ab' ~ '(?x)a b', 'ab' ~ E'(?x)a # comment\nb', 'a b' ~ '(?x)a\ b', 'a b' ~ '(?x)a[ ]b', 'aa' ~ '(?x)^a {2} $', 'aa' ~ '(?x)^a { 2 } $', 'a b' ~ '(?xt)a b', 'a#b' ~ '(?x)a\#b';
SELECT 'a+' ~ '(?q)a+', 'aa' ~ '(?q)a+', 'a+b' ~ '(?b)a+', '(a)' ~ '(?b)(a)', 'aa' ~ '(?b)\(a\)\1', 'aa' ~ '(?e)(a)\1', 'a1' ~ '(?e)(a)\1', 'A+' ~ '(?iq)a+';

-- The flags argument.
SELECT regexp_match('a+b', 'a+b', 'q'), regexp_match('a+b', 'a+b', ''), regexp_match('aab', 'a+b', 'e'), regexp_match('a+b', 'a+b', 'b'), regexp_match('AB', 'ab', 'iq');
SELECT regexp_match('aa', 'a\{2\}', 'b'), regexp_match('a{2}', 'a{2}', 'b'), regexp_match('abab', '\(ab\)*', 'b'), regexp_match('*a', '*a', 'b'), regexp_match('a^b$c', 'a^b$c', 'b'), regexp_match('a|b', 'a|b', 'b'), regexp_match('ab', '\<ab\>', 'b'), regexp_match('(a)', '(a)', 'b'), regexp_match('\', '[\]', 'b'), regexp_match('^*a', '^*a', 'b'), regexp_match('*a', '\(*a\)', 'b');
SELECT regexp_match('a', 'a\{2', 'b');
SELECT regexp_match('a', 'a\{2}', 'b');
SELECT regexp_match('a', '\(a', 'b');
SELECT regexp_match('a', 'a\)', 'b');
SELECT regexp_match('a', '\1', 'b');
SELECT regexp_match('a', 'a\', 'b');
SELECT regexp_match('a)', 'a)', 'e'), regexp_match('a\d', '\d', 'e'), regexp_match('ab', 'a(b|c)', 'e'), regexp_match('aaa', 'a{2}', 'e'), regexp_match('\', '[\]', 'e'), regexp_match('aa', 'a*', 'e');
SELECT regexp_match('a', 'a*?', 'e');
SELECT regexp_match('a', '(?:a)', 'e');
SELECT regexp_match('a b', 'a b', 'x'), regexp_match('ab', 'a b', 'x'), regexp_match('a b', 'a b', 'xt'), regexp_match(E'a\nb', 'a.b', 'n'), regexp_match(E'a\nb', 'a.b', 'm'), regexp_match(E'a\nb', 'a.b', 'ns'), regexp_match(E'a\nb', 'a.b', 'w'), regexp_match(E'a\nb', '^b', 'p');
SELECT regexp_match('a', 'a', 'z');
SELECT regexp_match('a', 'a', 'g');
SELECT regexp_match('a', 'a', 'qx');
SELECT regexp_match('a', 'a', 'qn');
SELECT regexp_replace('a', 'a', 'b', 'z');
SELECT regexp_replace('a', 'a', 'b', '1');
SELECT regexp_split_to_array('a', 'a', 'g');
SELECT regexp_split_to_table('a', 'a', 'g');
SELECT regexp_count('a', 'a', 1, 'g');
SELECT regexp_instr('a', 'a', 1, 1, 0, 'g');
SELECT regexp_substr('a', 'a', 1, 1, 'g');
SELECT regexp_like('a', 'a', 'g');

-- Positions and counts.
SELECT regexp_count('123123123123', '\d{3}', 1), regexp_count('123123123123', '\d{3}', 5), regexp_count('123123123123', '\d{3}', 35), regexp_count('abcabcabc', 'abc', 2), regexp_count('abc', ''), regexp_count('abc', 'x*'), regexp_count('', ''), regexp_count('éàü', '.', 2);
SELECT regexp_count('a', 'a', 0);
SELECT regexp_count('a', 'a', -3);
SELECT regexp_instr('abcabcabc', 'a.c'), regexp_instr('abcabcabc', 'a.c', 2), regexp_instr('abcabcabc', 'a.c', 1, 3), regexp_instr('abcabcabc', 'a.c', 1, 4), regexp_instr('abcabcabc', 'a.c', 1, 1, 1), regexp_instr('abcabcabc', 'A.C', 1, 2, 0, 'i'), regexp_instr('1234567890', '(123)(4(56)(78))', 1, 1, 0, 'i', 4), regexp_instr('1234567890', '(123)(4(56)(78))', 1, 1, 1, 'i', 2), regexp_instr('1234567890', '(123)(4(56)(78))', 1, 1, 0, 'i', 5), regexp_instr('foo', 'foo(bar)?', 1, 1, 0, '', 1), regexp_instr('éàü', 'ü');
SELECT regexp_instr('a', 'a', 0, 1);
SELECT regexp_instr('a', 'a', 1, 0);
SELECT regexp_instr('a', 'a', 1, 1, 2);
SELECT regexp_instr('a', 'a', 1, 1, 0, '', -1);
SELECT regexp_substr('abcabcabc', 'a.c'), regexp_substr('abcabcabc', 'a.c', 2), regexp_substr('abcabcabc', 'a.c', 1, 3), regexp_substr('abcabcabc', 'a.c', 1, 4), regexp_substr('1234567890', '(123)(4(56)(78))', 1, 1, 'i', 0), regexp_substr('1234567890', '(123)(4(56)(78))', 1, 1, 'i', 3), regexp_substr('1234567890', '(123)(4(56)(78))', 1, 1, 'i', 9), regexp_substr('foo', 'foo(bar)?', 1, 1, '', 1);
SELECT regexp_substr('a', 'a', 1, 0);
SELECT regexp_substr('a', 'a', 1, 1, '', -1);
SELECT regexp_replace('abcabc', 'b', 'x', 3), regexp_replace('abcabc', 'b', 'x', 1, 2), regexp_replace('abcabc', 'b', 'x', 1, 0), regexp_replace('abcabc', 'b', 'x', 9), regexp_replace('abcabc', 'B', 'x', 1, 2, 'i'), regexp_replace('aaa', 'a', 'x', 2, 2);
SELECT regexp_replace('a', 'a', 'b', 0, 1);
SELECT regexp_replace('a', 'a', 'b', 1, -1);

-- Replacements.
SELECT regexp_replace('1112223333', E'(\\d{3})(\\d{3})(\\d{4})', E'(\\1) \\2-\\3'), regexp_replace('AAA   BBB   CCC   ', E'\\s+', ' ', 'g'), regexp_replace('AAA', '^|$', 'Z', 'g'), regexp_replace('AAA aaa', 'A+', 'Z', 'gi');
SELECT regexp_replace('foo', 'o', '[\&]', 'g'), regexp_replace('foo', 'o', '\\', 'g'), regexp_replace('foo', 'o', '\x'), regexp_replace('foo', 'o', '\'), regexp_replace('foo', '(o)', '\2'), regexp_replace('foo', '(x)?o', '<\1>', 'g'), regexp_replace('foo', 'o', '\0');
SELECT regexp_replace('abc', '', '-', 'g'), regexp_replace('abc', 'x*', '-', 'g'), regexp_replace('abc', 'b*', '-', 'g'), regexp_replace('', '', 'x', 'g'), regexp_replace('', '^', 'x'), regexp_replace('éà', '', '-', 'g'), regexp_replace('aaa', 'a*', 'x', 'g'), regexp_replace('aab', 'a*?', 'x', 'g');
SELECT regexp_replace('foobarbaz', '(.)(.)', '\2\1', 'g'), regexp_replace('John Smith', '(\w+) (\w+)', '\2, \1'), regexp_replace('a1b22', '\d+', '<\&>', 'g'), regexp_replace('x', '(y)|x', '[\1]');

-- Splits and matches.
SELECT regexp_split_to_array('123456', ''), regexp_split_to_array('123456', '1'), regexp_split_to_array('123456', '6'), regexp_split_to_array('123456', '.'), regexp_split_to_array('123456', 'x'), regexp_split_to_array('', ''), regexp_split_to_array('', 'a'), regexp_split_to_array('abc', 'b*'), regexp_split_to_array('a,b,,c,', ','), regexp_split_to_array('aXbxc', 'x', 'i'), regexp_split_to_array('abc', '$'), regexp_split_to_array('abc', '^'), regexp_split_to_array('éàü', ''), regexp_split_to_array('abc', '(?=b)'), regexp_split_to_array('aab', 'a*?');
SELECT regexp_matches('abc', '', 'g');
SELECT regexp_matches('aab', 'a*', 'g');
SELECT regexp_matches('aab', '(a*)', 'g');
SELECT regexp_matches('foobarbequebaz', '(bar)(x)?(beque)');
SELECT regexp_matches('xaxbx', 'x(?!a)', 'g');
SELECT regexp_matches(NULL, 'a'), regexp_match('a', NULL), 'a' ~ NULL, NULL ~ 'a', regexp_replace('a', 'a', NULL), regexp_split_to_array(NULL, 'a');

-- SIMILAR TO and SUBSTRING by SQL's patterns.
SELECT 'abc' SIMILAR TO '_b_', 'abc' SIMILAR TO 'a%', 'abc' NOT SIMILAR TO 'a%', 'abc' SIMILAR TO 'a|abc', 'abc' SIMILAR TO '(a|b)+c', 'aab' SIMILAR TO 'a{2}b', 'ab' SIMILAR TO 'a?b', 'a.c' SIMILAR TO 'a.c', 'abc' SIMILAR TO 'a.c', 'a^c' SIMILAR TO 'a^c', 'a$' SIMILAR TO 'a$', 'abc' SIMILAR TO '[a-c]+', 'x' SIMILAR TO '[^a-c]';
SELECT 'a_c' SIMILAR TO 'a\_c', 'abc' SIMILAR TO 'a\_c', 'a_c' SIMILAR TO 'a#_c' ESCAPE '#', 'a\c' SIMILAR TO 'a\c' ESCAPE '', 'a%' SIMILAR TO 'a\%', '' SIMILAR TO '', 'a' SIMILAR TO '', E'a\nb' SIMILAR TO 'a%b', 'abc' SIMILAR TO NULL, 'abc' SIMILAR TO 'a' ESCAPE NULL;
SELECT 'a' SIMILAR TO 'a' ESCAPE 'xy';
SELECT 'a' SIMILAR TO '(a';
SELECT 'a' SIMILAR TO '*';
SELECT 'abc' SIMILAR TO '[[:alpha:]]+', '_%' SIMILAR TO '[_%]+', 'ab' SIMILAR TO '[_%]+', 'a(b' SIMILAR TO 'a[(]b', ']' SIMILAR TO '[]]', 'a' SIMILAR TO '[^]]', '\' SIMILAR TO '[\\]', '"' SIMILAR TO '"', 'a^' SIMILAR TO 'a[\^]', 'a]' SIMILAR TO 'a[[:punct:]%_]';
SELECT similar_to_escape('a[[:alpha:]%]b%_(x|y)$^.{1,2}'), similar_to_escape('a#"b#"c', '#'), similar_to_escape('[]a%]%'), similar_to_escape('[^]a%]%'), similar_to_escape('[[.a.]%]%'), similar_to_escape('\[%'), similar_to_escape('[\]%]%');
SELECT substring('abcdefg' from 'a#"%#"g' for '#'), substring('abcdefg' from 'a#"%#"x|g' for '#'), substring('abcdefg' from 'a#"%|ab#"g' for '#'), substring('abcdefg' from 'a*#"%#"g*x' for '#'), substring('abcdefg' from 'a#"%g' for '#'), substring('abcdefg' from 'a%g' for '#'), substring('abcdefg' from '%#"[c-e]+#"%' for '#');
SELECT substring('a' from '#"a#"#"' for '#');
SELECT substring('abcdefg' from NULL for '#'), substring(NULL from 'a' for '#'), substring('abcdefg' from 'a%' for NULL);
SELECT substring('foobar' from '(o+)(b)'), substring('foobar' from '(x)?foo'), substring('foobar' from '(?:o+)b'), substring('foobar' from '(?=bar)'), substring('foobar' from 'o+?');

-- Over tables.
CREATE TABLE words (w text, c char(6), v varchar(6), n name);
INSERT INTO words VALUES ('apple', 'apple', 'apple', 'apple'), ('Banana', 'Banana', 'Banana', 'Banana'), ('cherry-7', 'che', 'che', 'che'), (NULL, NULL, NULL, NULL);
SELECT w FROM words WHERE w ~ '^[a-z]+$';
SELECT w FROM words WHERE w !~ '(.)\1' ORDER BY w;
SELECT w, v ~ '^a', n ~ 'e$', v ~* '^b', n !~* '^B' FROM words ORDER BY w;
SELECT w, regexp_replace(w, '([aeiou])', '<\1>', 'g'), regexp_split_to_array(w, '[aeiou]') FROM words ORDER BY w;
SELECT w FROM words WHERE w ~ ANY (ARRAY['^B', '\d']) ORDER BY w;
SELECT w FROM words WHERE w ~ ALL (ARRAY['a', 'p']) ORDER BY w;
SELECT w FROM words WHERE w SIMILAR TO '(apple|Banana)' ORDER BY w;
SELECT w, m FROM words, LATERAL regexp_matches(w, '[aeiou]', 'g') AS m ORDER BY w, m;
SELECT w FROM words WHERE w ~ '[';

-- LIKE with ANY and ALL.
SELECT 'abc' LIKE ANY (ARRAY['a%', 'x']), 'abc' ILIKE ALL (ARRAY['A%', '%C']), 'abc' NOT LIKE ANY (ARRAY['a%', 'x']), 'abc' NOT ILIKE ALL (ARRAY['x']);
SELECT 'abc' LIKE ANY ('{a%,b}'), 'abc' LIKE ANY (SELECT 'a%'), 'abc' NOT LIKE ALL ((SELECT '{a%}'::text[])::text[]), 'abc' LIKE SOME (ARRAY['a%']), 'abc' ILIKE ANY ((SELECT '{A%}'::text[])::text[]);
SELECT 'abc' LIKE ANY (ARRAY[NULL, 'a%']), 'abc' LIKE ANY (ARRAY[NULL, 'x']), 'abc' LIKE ALL (ARRAY[]::text[]), 'abc' LIKE ANY (NULL::text[]);
SELECT w FROM words WHERE w LIKE ANY (ARRAY['a%', '%na']) ORDER BY w;
SELECT w FROM words WHERE w NOT LIKE ALL (ARRAY['a%', '%na']) ORDER BY w;
SELECT w FROM words WHERE w ILIKE ANY (SELECT upper(v) || '%' FROM words) ORDER BY w;
SELECT 'abc' LIKE ANY ('a%');
SELECT 'abc' LIKE ANY (ARRAY[1]);
SELECT 1 LIKE ANY (ARRAY['a']);
SELECT 'abc' LIKE ANY (ARRAY['a%']) ESCAPE '#';

-- char(n) shows its blanks to patterns.
SELECT c, c LIKE 'che', c LIKE 'che%', c LIKE 'che   ', c LIKE '______', c NOT LIKE 'che', c ILIKE 'CHE   ', c ~ '^che$', c ~ '^che   $', c !~ 'e$', c ~* 'CHE', c SIMILAR TO 'che', c SIMILAR TO 'che   ' FROM words ORDER BY w;
SELECT c, c LIKE ANY (ARRAY['che', 'a%']), c NOT LIKE ALL (ARRAY['che', 'a%']), c ~ ANY (ARRAY['^che$', 'x']), c = 'che', c = 'che  ', c IN ('che', 'x') FROM words ORDER BY w;
SELECT 'a'::char(3) LIKE 'a', 'a'::char(3) LIKE 'a  ', 'a' LIKE 'a'::char(3), 'a  ' LIKE 'a'::char(3), 'abc'::name LIKE 'a%';
SELECT c, regexp_match(c, '^che$'), regexp_replace(c, '$', '|'), substring(c from 'e$'), regexp_split_to_array(c, 'h') FROM words ORDER BY w;

-- A match ends with its statement.
SET statement_timeout = 200;
SELECT (repeat('a', 400) || 'b' || repeat('a', 300) || 'c') ~ '^(a+)(a+)(a+)(a+)b\1\2\3\4\4c';
SELECT regexp_replace(repeat('a', 300000), '(a*)(a*)b|(?=a*c)', 'x', 'g');
RESET statement_timeout;
