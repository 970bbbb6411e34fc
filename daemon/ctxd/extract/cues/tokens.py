"""From a sentence to the tokens that cue phrases are made of, a way of cutting for each script.

Words in lower case without accents, numbers, marks. What is not the user's language, such as code
spans, paths, addresses and flags, becomes one token that no phrase contains, so that the "only" of
`read_only` limits nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from ctxd.extract.cues.lexicon import END
from ctxd.policy.extraction import CUE_CHUNK_CHARS, CUE_CHUNKS_REMEMBERED

CODE = "`"
"""The token that stands for code."""

Tokenise = Callable[[str], list[str]]
"""From a sentence to its tokens, `END` last."""


def spaced(sentence: str) -> list[str]:
    """Return the tokens of a sentence in a script with spaces between words."""
    text = sentence if sentence.isascii() else folded(sentence)
    if CODE in text:
        text = _CODE_SPAN.sub(CODE, text)
    tokens: list[str] = []
    for chunk in text.lower().split():
        tokens += chunk_tokens(chunk) if len(chunk) <= CUE_CHUNK_CHARS else (CODE,)
    tokens.append(END)
    return tokens


def elided(sentence: str) -> list[str]:
    """Return the same for French, where "c'est" is two words."""
    return [part for token in spaced(sentence) for part in elisions(token)]


def dense(sentence: str) -> list[str]:
    """Return the characters of a sentence in a script without spaces, and its Latin words whole."""
    text = unicodedata.normalize("NFKC", sentence).lower()
    if CODE in text:
        text = _CODE_SPAN.sub(CODE, text)
    return [*_DENSE.findall(text.translate(_DENSE_PLAIN)), END]


def folded(text: str) -> str:
    """Return a text with plain quotes and without accents: many people type none."""
    text = unicodedata.normalize("NFC", text).translate(_PLAIN)
    return text if text.isascii() else "".join(map(_bare, text))


@lru_cache(1024)
def _bare(letter: str) -> str:
    """Return a Latin letter without its accent, any other as it is."""
    if letter in _KEPT or letter.isascii():
        return letter
    first = unicodedata.normalize("NFD", letter)[0]
    return first if first.isascii() else letter


@lru_cache(CUE_CHUNKS_REMEMBERED)
def chunk_tokens(chunk: str) -> tuple[str, ...]:
    """Return the tokens of what stands between two spaces."""
    if chunk.isalpha() and chunk.isascii():
        return (chunk,)
    if _CODE_LIKE.search(chunk) and not _WORDS.fullmatch(chunk):
        return (CODE, *_CLOSING.findall(chunk[-1]))
    return tuple(_TOKEN.findall(chunk))


def elisions(token: str) -> tuple[str, ...]:
    """Return a French word and what is elided before it, apart."""
    before, mark, after = token.partition("'")
    return (before + mark, after) if mark and after and before in _ELIDED else (token,)


_ELIDED = frozenset(
    ["c", "d", "j", "l", "m", "n", "s", "t", "qu", "jusqu", "lorsqu", "puisqu", "quelqu"]
)
_KEPT = frozenset("йё")
_PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "…": ".."}
    | {"–": "-", "—": "-", "¿": " ", "¡": " ", "ё": "е", "Ё": "Е"}
    | {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"}
    | {"æ": "ae", "œ": "oe", "\ufe0f": None}
)
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_CODE_LIKE = re.compile(r"[_\\@=<>{}\[\]#$~]|\w[/.:(]\w|^--?\w|^[./]\w|\(\)|::")
_WORDS = re.compile(
    r"[\"'(*]{0,3}(?:[^\W\d_]{1,24}(?:/[^\W\d_]{0,24}|\.\.+[^\W\d_]{1,24})|e\.g|i\.e|#\d{1,4}"
    r"|[:;]-?[()dp]|<3|:\+1:|-1|[^\W\d_']{1,24}\([^\W\d_]{0,4}\))[\"')*,.!?;:]{0,4}"
)
_CLOSING = re.compile(r"[,.!?:;]")
_TOKEN = re.compile(
    r"e\.g\.|i\.e\.|w/o?(?![^\W_])|[+-]\d+|:\+1:|\+\+|[^\W\d_]+(?:'[^\W\d_]+)*|\d+|\.\.+"
    r"|[`,.!?:;#%&+]|[^\x00-\x7f]"
)
_DENSE = re.compile(r"`|[a-z]+(?:'[a-z]+)?|\d+|\.\.+|[^\sa-z\d]")
_TRADITIONAL = (
    "這個為麼們說後還沒對錯過請讓將條從來時會應該檔測試運執確認繼續選項兩樣種問題謝幫寫讀開關刪"
    "復複須總遠別動當現實際誤釋換覺議範圍暫單獨邊緣況處優簡雜險風標準級結構義響點號轉變歡傾嗎誰"
    "幾裡裏線網連報壞顏體與並無話講記錄導參數擇計劃圖層頁戶產業進達許詢論證據維護約統稱絕給緩編"
    "練經觀規視訂設評調談購費軟較輕輸適遲錢鎖鍵長門閉間隊階隨難靜頂順預顯餘驗齊棄滾隱寧願夠負責"
    "專塊嚴檢傳發佈啟擊擴擁擔機權歷殺減滿漢燈爾狀環畫異盡碼礎穩積簽糾納純終組絡細紹綠緊縮織聯聽"
    "職脫腦舊藍虛補裝訊誌語誠課謂豐貼資賴轟辦遞遺郵釘鈕鏈陣雙離電頭頻類飛髮鬆"
)
_SIMPLIFIED = (
    "这个为么们说后还没对错过请让将条从来时会应该档测试运执确认继续选项两样种问题谢帮写读开关删"
    "复复须总远别动当现实际误释换觉议范围暂单独边缘况处优简杂险风标准级结构义响点号转变欢倾吗谁"
    "几里里线网连报坏颜体与并无话讲记录导参数择计划图层页户产业进达许询论证据维护约统称绝给缓编"
    "练经观规视订设评调谈购费软较轻输适迟钱锁键长门闭间队阶随难静顶顺预显余验齐弃滚隐宁愿够负责"
    "专块严检传发布启击扩拥担机权历杀减满汉灯尔状环画异尽码础稳积签纠纳纯终组络细绍绿紧缩织联听"
    "职脱脑旧蓝虚补装讯志语诚课谓丰贴资赖轰办递遗邮钉钮链阵双离电头频类飞发松"
)
_DENSE_PLAIN = str.maketrans(
    dict(zip(_TRADITIONAL, _SIMPLIFIED, strict=True)) | {"。": ".", "、": ",", "「": '"', "」": '"'}
)
