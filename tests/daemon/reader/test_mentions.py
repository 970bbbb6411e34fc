"""No prompt to an agent's program holds a path that it would follow."""

import json

from ctxd.reader.mentions import hidden, shown

TEXT = 'see @/etc/passwd, @"a b", \\@x, dev@example.org, @@ and \u0040'


def test_no_at_sign_is_left_and_each_comes_back():
    assert "@" not in hidden(TEXT)
    assert shown(hidden(TEXT)) == TEXT


def test_they_come_back_however_json_writes_them():
    answer = {"quote": hidden(TEXT)}
    for written in (json.dumps(answer), json.dumps(answer, ensure_ascii=False)):
        assert json.loads(shown(written)) == {"quote": TEXT}
        assert json.loads(shown(written.replace("uff20", "uFF20"))) == {"quote": TEXT}


def test_a_text_without_any_is_as_it_was():
    assert hidden("never \\ round") == shown("never \\ round") == "never \\ round"
