"""Secrets out of text, before anything is stored, shown or written.

Promises: what has the shape of a secret, or stands where one is assigned, becomes
`[redacted:KIND]`; the words around it stay as they are, and so does a stand-in that is met again.
Refuses to judge by randomness alone: commit hashes, ids and digests are what sessions talk about.

Each kind has a literal that its secrets cannot do without, and only a text that holds the literal
meets the kind's pattern; for most kinds the literal is looked for in the long words alone. No
pattern takes more than linear time.

Why a table of our own: detect-secrets 1.5.0 was measured at 0.5 MB/s on prose, found 9 of 20 kinds
that the cases name (none of today's model, GitHub fine-grained, npm or Google keys), and tells of a
private key its first line and of a GitHub token its prefix, so that neither could be cut out.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator

import msgspec


class Secret(msgspec.Struct, frozen=True, order=True, gc=False):
    """Where a secret stands in a text."""

    start: int
    end: int
    kind: str


class _Kind(msgspec.Struct, frozen=True, dict=True):
    name: str
    hints: tuple[str, ...]
    """Literals of which a secret of this kind holds one; lower case where case does not matter."""
    source: str
    """The pattern's text."""

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when first needed: commands that only read the ledger never do."""
        return re.compile(self.source)

    @property
    def group(self) -> str | int:
        """The part of a match that is cut out."""
        return "secret" if self.pattern.groups else 0

    @property
    def any_case(self) -> bool:
        """Whether capitals do not matter."""
        return self.source.startswith("(?i)")


def _token(name: str, prefixes: str, rest: str) -> _Kind:
    """A secret told by how it begins; what stands before must not belong to it.

    The look behind comes after the prefix, so that a search jumps from prefix to prefix.
    """
    starts = [
        rf"{re.escape(start)}(?<![A-Za-z0-9]{re.escape(start)})" for start in prefixes.split()
    ]
    return _shaped(
        name, prefixes, f"(?:{'|'.join(starts)}){rest}" if starts[1:] else starts[0] + rest
    )


def _shaped(name: str, hints: str, pattern: str) -> _Kind:
    """A secret told by its whole shape. Before long distinctive beginnings anything may stand."""
    return _Kind(name, tuple(hints.split()), pattern)


_ANY = r"[A-Za-z0-9_-]"
_TOKEN_CHARS = 15
_DIGIT = r"(?=[A-Za-z_-]{0,64}[0-9])"
"""A digit soon: telling from `hf_tokenizer_fast` and the like."""

_TOKENS = (
    _shaped("anthropic-key", "sk-ant-", rf"sk-ant-{_ANY}{{12,}}"),
    _shaped(
        "openai-key", "sk-proj- sk-svcacct- sk-admin-", rf"sk-(?:proj|svcacct|admin)-{_ANY}{{12,}}"
    ),
    _token("openrouter-key", "sk-or-", rf"{_ANY}{{16,}}"),
    _token("langfuse-key", "sk-lf-", rf"{_ANY}{{16,}}"),
    _token("model-key", "sk-", rf"{_DIGIT}[A-Za-z0-9]{{20,}}"),
    _token("groq-key", "gsk_", r"[A-Za-z0-9]{20,}"),
    _token("xai-key", "xai-", r"[A-Za-z0-9]{20,}"),
    _token("perplexity-key", "pplx-", r"[A-Za-z0-9]{20,}"),
    _token("replicate-key", "r8_", rf"{_DIGIT}[A-Za-z0-9]{{20,}}"),
    _token(
        "hugging-face-token", "hf_ api_org_", rf"(?:[A-Za-z0-9]{{30,}}|{_DIGIT}[A-Za-z0-9]{{16,}})"
    ),
    _token("memory-service-key", "hsk- mem0_ brv_ m0-", rf"{_DIGIT}{_ANY}{{12,}}"),
    _shaped("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{16,}"),
    _shaped("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,}"),
    _shaped(
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_.-]{16,}",
    ),
    _token("bitbucket-token", "ATBB", r"[A-Za-z0-9]{24,}"),
    _shaped("atlassian-token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{20,}"),
    _shaped(
        "slack-token",
        "xox",
        r"xox[a-eoprs][-.][A-Za-z0-9.%/+=-]{10,}",
    ),
    _token("slack-token", "xapp-", rf"{_ANY}{{12,}}"),
    _shaped(
        "slack-webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{16,})",
    ),
    _shaped("discord-webhook", "/api/webhooks/", r"/api/webhooks/\d{6,}/(?P<secret>[\w-]{16,})"),
    _shaped("telegram-token", ":AA", r"(?<!\d)\d{8,10}:AA[\w-]{30,40}"),
    _shaped(
        "aws-key-id",
        "AKIA ASIA ABIA ACCA",
        r"(?<![A-Z0-9])A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Z0-9])",
    ),
    _shaped("google-key", "AIza", rf"AIza{_ANY}{{30,}}"),
    _token("google-token", "ya29. GOCSPX- 1//0", r"[\w.-]{20,}"),
    _shaped(
        "azure-key",
        "AccountKey= SharedAccessKey=",
        r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/=]{20,})",
    ),
    _shaped("azure-secret", "8Q~ 7Q~", r"(?<![\w.~-])[\w.~-]{3}[78]Q~[\w.~-]{31,34}"),
    _shaped(
        "signed-url",
        "sig= Signature=",
        r"[?&;](?:sig|Signature|X-Amz-Signature|X-Goog-Signature)=(?P<secret>[\w%+/=.-]{20,})",
    ),
    _shaped(
        "jwt",
        "eyJ",
        rf"eyJ(?<![A-Za-z0-9_-]eyJ){_ANY}{{8,}}\.(?:eyJ{_ANY}{{4,}}|{_ANY}{{20,}})(?:\.{_ANY}*)*",
    ),
    _shaped(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{12,}",
    ),
    _token("square-token", "sq0atp- sq0csp-", rf"{_ANY}{{20,}}"),
    _shaped("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{24,}"),
    _shaped("npm-token", "npm_", r"npm_[A-Za-z0-9]{30,}"),
    _shaped("pypi-token", "pypi-", r"pypi-[A-Za-z0-9_-]{32,}"),
    _shaped("rubygems-token", "rubygems_", r"rubygems_[a-f0-9]{32,}"),
    _token("crates-token", "cio", r"(?=[A-Za-z]*[0-9])[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _token("nuget-key", "oy2", r"[a-z0-9]{43}(?![a-z0-9])"),
    _shaped("docker-token", "dckr_pat_ dckr_oat_", rf"dckr_[po]at_{_ANY}{{16,}}"),
    _token("sendgrid-key", "SG.", rf"{_ANY}{{16,}}\.{_ANY}{{16,}}"),
    _token("twilio-key", "SK", r"[0-9a-f]{32}(?![0-9a-f])"),
    _shaped("mailchimp-key", "-us", r"-us(?<=(?P<secret>[0-9a-f]{32})-us)\d{1,2}(?!\d)"),
    _token("mailgun-key", "key-", r"[0-9a-f]{32}(?![0-9a-f])"),
    _shaped("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{32,}"),
    _token("databricks-token", "dapi", r"[a-f0-9]{32}"),
    _token("vault-token", "hvs. hvb. hvr.", rf"{_ANY}{{20,}}"),
    _shaped(
        "terraform-token",
        ".atlasv1.",
        rf"(?<![A-Za-z0-9])[A-Za-z0-9]{{14}}\.atlasv1\.{_ANY}{{40,}}",
    ),
    _token(
        "doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[A-Za-z0-9._-]{32,}"
    ),
    _shaped("linear-key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{24,}"),
    _token("notion-token", "ntn_ secret_", rf"{_DIGIT}[A-Za-z0-9]{{40,}}"),
    _shaped("figma-token", "figd_", rf"figd_{_ANY}{{20,}}"),
    _token("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    _shaped("postman-key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _token("grafana-token", "glsa_ glc_", r"[A-Za-z0-9+/=_]{32,}"),
    _shaped("new-relic-key", "NRAK- NRII- NRJS-", rf"NR(?:AK|II|JS)-{_ANY}{{19,}}"),
    _token("sentry-token", "sntrys_ sntryu_", r"[A-Za-z0-9+/=_-]{32,}"),
    _token("supabase-key", "sbp_ sb_secret_", rf"{_DIGIT}{_ANY}{{20,}}"),
    _shaped("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}"),
    _token("fly-token", "fm1_ fm2_ fm1r_ fm1a_ fo1_", r"[A-Za-z0-9+/=,_-]{40,}"),
    _shaped("tailscale-key", "tskey-", rf"tskey-[a-z]+-{_ANY}{{16,}}"),
    _shaped("one-password-token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/=_-]{40,}"),
    _shaped("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    _token("pinecone-key", "pcsk_", r"[A-Za-z0-9_]{32,}"),
    _token("sourcegraph-token", "sgp_", r"[A-Za-z0-9_]{40,}"),
    _shaped("heroku-key", "HRKU-", rf"HRKU-{_ANY}{{30,}}"),
    _shaped("age-key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{30,}"),
)
"""Secrets that are one word of at least `_TOKEN_CHARS`."""

_PHRASES = (
    _shaped(
        "private-key",
        "PRIVATE",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]*(?:-(?!----)[^-]*)*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"""|(?:(?:\s|\\[nr]|["'])*[A-Za-z0-9+/=]{16,})+)""",
    ),
    _shaped(
        "private-key",
        "Private-Lines:",
        r"Private-Lines: \d+(?P<secret>(?:\s+[A-Za-z0-9+/=]{16,})+)",
    ),
    _shaped(
        "url-password",
        "://",
        r"""://[^\s/:@"'<>]{0,256}:(?P<secret>[^\s/"'<>${\[][^\s/"'<>]{0,512})@(?=[\w\[.$%{-])""",
    ),
    _shaped(
        "bearer-token",
        "bearer",
        r"(?i)\bbearer\s+(?P<secret>(?=[A-Z_.~+/-]*\d)[A-Z0-9._~+/-]{12,}=*)",
    ),
    _shaped(
        "authorization",
        "authorization",
        r"""(?i)authorization["'\\]{0,2}\s*[:=]\s*["'\\]{0,2}"""
        r"(?:(?:bearer|basic|token|digest|bot|apikey|negotiate)\s+)?"
        r"(?P<secret>(?=[A-Z_.~+/-]*[0-9=])[A-Z0-9._~+/=:-]{8,})",
    ),
    _shaped(
        "login",
        "curl wget",
        r"(?i)\b(?:curl|wget)\b[^\n]{0,200}?\s(?:-u|--user|--proxy-user)"
        r"""[ =]?["']?[^\s:"'$]{1,128}:(?P<secret>[^\s"'$]{3,})""",
    ),
    _shaped("login", "sshpass", r"""(?i)\bsshpass\s+-p\s*["']?(?P<secret>[^\s"'$]{3,})"""),
    _shaped(
        "cookie", "cookie:", r"""(?i)\bcookie:\s*(?P<secret>[\w.-]{1,64}=[^\s"'][^\n"']{6,})"""
    ),
)
"""Secrets of several words, and short ones told by what stands around them."""

_TOKEN_HINTS = [(hint, kind) for kind in _TOKENS for hint in kind.hints]
_PHRASE_HINTS = [(hint, kind) for kind in _PHRASES for hint in kind.hints]
_NAMED = "named"


def redact(text: str) -> str:
    """The text with `[redacted:KIND]` in the place of each secret."""
    return cut_out(text, find_secrets(text))


def find_secrets(text: str) -> list[Secret]:
    """The secrets in a text, in order; where several kinds overlap, as one of the first kind."""
    return _merged(_matches(text))


def cut_out(text: str, secrets: Iterable[Secret]) -> str:
    """The text with what `find_secrets` found in it replaced."""
    parts, after = [], 0
    for secret in secrets:
        parts += [text[after : secret.start], _stand_in(secret)]
        after = secret.end
    return "".join([*parts, text[after:]]) if parts else text


def moved(offset: int, secrets: Iterable[Secret]) -> int:
    """Where an offset into a text lies after `cut_out`; inside a secret, behind its stand-in."""
    shift = 0
    for secret in secrets:
        if secret.start >= offset:
            break
        shift += len(_stand_in(secret)) - (min(secret.end, offset) - secret.start)
    return offset + shift


def _stand_in(secret: Secret) -> str:
    return f"[redacted:{secret.kind}]"


def _matches(text: str) -> Iterator[Secret]:
    long_words = "\n".join([word for word in text.split() if len(word) >= _TOKEN_CHARS])
    kinds = [kind for hint, kind in _TOKEN_HINTS if hint in long_words] if long_words else []
    folded = text.replace("\u0130", "I").lower()  # the one letter that grows when it is lowered
    kinds += [kind for hint, kind in _PHRASE_HINTS if hint in (folded if kind.any_case else text)]
    for kind in kinds:
        for match in kind.pattern.finditer(text):
            yield Secret(*match.span(kind.group), kind.name)
    from ctxd.secret_names import named_secrets  # its patterns are not for who only reads

    for start, end in named_secrets(text, folded):
        yield Secret(start, end, _NAMED)


def _merged(found: Iterable[Secret]) -> list[Secret]:
    whole: list[Secret] = []
    for secret in sorted(found, key=lambda secret: secret.start):
        last = whole[-1] if whole else None
        if last is None or secret.start >= last.end:
            whole.append(secret)
        else:
            kind = secret.kind if last.kind == _NAMED else last.kind
            whole[-1] = Secret(last.start, max(last.end, secret.end), kind)
    return whole
