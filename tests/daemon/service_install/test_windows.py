"""The scheduled task, as its scheduler reads it."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from ctxd.service_install.definition import Stamp, is_edited, stamp_of
from ctxd.service_install.managers import State
from ctxd.service_install.steps import Done, Write, carry_out
from ctxd.service_install.windows import NAMESPACE, TaskScheduler, task

SCHEMA = xmlschema.XMLSchema(Path(__file__).with_name("task.xsd"))
USER = "WORK<&>STATION\\d\N{LATIN SMALL LETTER E WITH ACUTE}v"


def found(text, path):
    root = ET.fromstring(text.partition("?>")[2])
    names = "/".join(f"{{{NAMESPACE}}}{name}" for name in path.split("/"))
    return root.find(names).text


def valid(text):
    SCHEMA.validate(text.partition("?>")[2].strip())


def test_the_task_is_valid(definition):
    text = task(definition, USER, "a comment")
    valid(text)
    assert found(text, "Principals/Principal/UserId") == USER
    assert found(text, "Principals/Principal/RunLevel") == "LeastPrivilege"
    assert found(text, "Settings/ExecutionTimeLimit") == "PT0S"
    assert found(text, "Settings/MultipleInstancesPolicy") == "IgnoreNew"
    assert found(text, "Settings/StopIfGoingOnBatteries") == "false"
    assert found(text, "Actions/Exec/Command") == "/opt/ctxd/bin/python"
    arguments = '-P -m ctxd --home "/srv/a b/50% $x" run'
    assert found(text, "Actions/Exec/Arguments") == arguments


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<RunLevel>LeastPrivilege", "<RunLevel>Lowest"),
        ("<Count>255<", "<Count>999<"),
        ("<Interval>PT1M<", "<Interval>PT10S<"),
        ('Context="Author"', 'Context="Nobody"'),
        ("<Hidden>false</Hidden>", "<Invisible>true</Invisible>"),
    ],
)
def test_the_schema_finds_what_is_wrong(definition, old, new):
    text = task(definition, USER, "")
    assert old in text
    with pytest.raises(xmlschema.XMLSchemaException):
        valid(text.replace(old, new))


def test_the_file_is_in_the_encoding_that_it_names(definition, tmp_path, monkeypatch, programs):
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    scheduler = TaskScheduler(programs)
    text = scheduler.text(definition, Stamp("0.4.0", "C:\\--\\pythonw.exe"))
    carry_out([Write(scheduler.file, text, scheduler.encoding)], programs)
    data = scheduler.file.read_bytes()
    assert data.startswith((b"\xff\xfe", b"\xfe\xff"))
    ET.fromstring(data)
    read = data.decode(scheduler.encoding)
    assert stamp_of(read).interpreter == "C:\\--\\pythonw.exe"
    assert not is_edited(read)


def test_a_task_is_created_from_its_file_run_and_deleted(monkeypatch, tmp_path, programs):
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    scheduler = TaskScheduler(programs)
    programs.answers["schtasks /query"] = Done(1, "", "ERROR: The system cannot find the file.")
    state = scheduler.state()
    assert state == State(registered=False, at_login=False)
    carry_out([*scheduler.register(state, changed=True), *scheduler.start(state)], programs)
    carry_out(scheduler.unregister(), programs)
    assert programs.calls[1:] == [
        f"schtasks /create /tn ctxd /xml {scheduler.file} /f",
        "schtasks /run /tn ctxd",
        "schtasks /end /tn ctxd",
        "schtasks /delete /tn ctxd /f",
    ]
