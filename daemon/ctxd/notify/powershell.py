"""Notices on Windows: a toast by Windows PowerShell, which every Windows has.

PowerShell 7 cannot reach the toasts of the system, so the one that comes with it is started by its
full path. The script is fixed; the texts are JSON in plain ASCII on its stdin, put into the toast
as text nodes, so that nothing in them is ever run or read as markup. Toasts come in PowerShell's
name: a program has one of its own only with a shortcut in the start menu. When the user has turned
its notices off, Windows says so, and that counts as failed.
"""

from __future__ import annotations

import json
import os

from ctxd.notify.programs import run
from ctxd.notify.values import Dispatched, Notice

PROGRAM = os.path.join(
    os.environ.get("SYSTEMROOT", r"C:\Windows"),
    "System32",
    "WindowsPowerShell",
    "v1.0",
    "powershell.exe",
)
# Without a double quote: the command line of Windows has them its own way.
_SCRIPT = r"""
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
try {
    $said = [Console]::In.ReadToEnd() | ConvertFrom-Json
    $null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications,
        ContentType = WindowsRuntime]
    $null = [Windows.Data.Xml.Dom.XmlDocument, Windows.Data.Xml.Dom, ContentType = WindowsRuntime]
    $page = [xml]('<toast><visual><binding template=''ToastGeneric''><text/><text/></binding>' +
        '</visual></toast>')
    $texts = $page.GetElementsByTagName('text')
    $null = $texts.Item(0).AppendChild($page.CreateTextNode($said.title))
    $null = $texts.Item(1).AppendChild($page.CreateTextNode($said.body))
    if ($said.urgency -eq 'critical') { $page.DocumentElement.SetAttribute('duration', 'long') }
    $toast = New-Object Windows.Data.Xml.Dom.XmlDocument
    $toast.LoadXml($page.OuterXml)
    $name = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\WindowsPowerShell\v1.0\powershell.exe'
    $desktop = [Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($name)
    $setting = 'Enabled'
    try { $setting = [string]$desktop.Setting } catch { }
    if ($setting -ne 'Enabled') { throw ('the system says ' + $setting) }
    $desktop.Show((New-Object Windows.UI.Notifications.ToastNotification $toast))
} catch {
    [Console]::Error.WriteLine($_.Exception.Message)
    exit 1
}
"""
_HINT = "allow notices of Windows PowerShell in the system settings"


def show(notice: Notice, program: str = PROGRAM) -> Dispatched:
    """Give a notice to the desktop as a toast."""
    said = {"title": notice.title, "body": notice.body, "urgency": notice.urgency}
    options = ["-NoProfile", "-NonInteractive", "-Command", _SCRIPT]
    trouble = run([program, *options], json.dumps(said))
    if trouble is None:
        return Dispatched("dispatched", "Windows toast")
    return Dispatched("failed", "Windows toast", trouble, _HINT)
