"""OpenAI's API and the servers that speak it too: Ollama, llama.cpp, vLLM, LM Studio, gateways.

What a server can hold a model to is told by what it refuses, so that it is asked at most twice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ctxd.policy.reader import (
    READER_API_THINKING_TOKENS,
    READER_CALL_SECONDS,
    READER_UNREAD_FACTOR,
    READER_WINDOW_TOKENS,
)
from ctxd.reader import http_clients
from ctxd.reader.api_troubles import Failed, refusal_of, unreached
from ctxd.reader.backends.api_backend import ApiBackend, counted
from ctxd.reader.servers import Server
from ctxd.reader.values import Ask, Choice, ReaderError, Reply

if TYPE_CHECKING:
    import openai

    from ctxd.reader.keys import Key

MODEL = "gpt-5.4"
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
"""What local models think aloud before they answer."""
_CLOUD = re.compile(r"[-:]cloud\Z")
"""How Ollama names models that it does not run itself but passes on to its makers' servers."""
_LIMITS = ("max_completion_tokens", "max_tokens")
_OTHER_LIMIT = re.compile("|".join(_LIMITS))
_FORM = re.compile(r"(?i)response_format|json_schema|json_object|schema|grammar|structured|guided")
_OF_OBJECTS = re.compile(r"(?i)json_object")
_NOT_OBJECTS = re.compile(
    r"(?i)(?:not|n't|in)[ _-]?(?:support|valid|allow)\w*[^.]{0,40}json_object"
)
_UNSAID = (400, 422, 501)
"""Statuses with which servers refuse what they do not know."""


class _OpenAiApi(ApiBackend):
    name = "openai"
    title = "OpenAI's API, or a server that speaks it"
    company = "OpenAI"
    library = "openai"
    key_variable = "OPENAI_API_KEY"
    url_variable = "OPENAI_BASE_URL"
    url = "https://api.openai.com/v1"
    hushed = ("OPENAI_LOG", "OPENAI_ADMIN_KEY")
    personal = ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID")

    def sends_to(self, choice: Choice) -> str:
        """Who gets the text; empty where it stays on this machine."""
        to = super().sends_to(choice)
        if not to and _CLOUD.search(choice.model):
            return f"the cloud of `{choice.model}`, through {self.server(choice).host}"
        return to

    def call(self, ask: Ask, choice: Choice, key: Key | None) -> Reply:
        """Ask; once more with less to hold the model by when the server does not know it."""
        import openai

        server = self.server(choice)
        model = choice.model
        try:
            with _client(server, key) as client:
                model = model or self._model(server, client)
                asked = self._arguments(ask, model, server)
                try:
                    answer = client.chat.completions.create(**asked)
                except openai.APIStatusError as error:
                    asked = _with_less(asked, error)
                    answer = client.chat.completions.create(**asked)
        except openai.APIStatusError as error:
            raise refusal_of(_failed(error, server, model)) from None
        except openai.APITimeoutError:
            raise ReaderError("slow", f"{server.host} took too long") from None
        except openai.APIConnectionError as error:
            raise unreached(server.host, error) from None
        except (openai.APIResponseValidationError, ValueError):
            raise ReaderError("malformed", f"{server.host} sent no answer") from None
        reply = _reply(answer)
        if _is_unread(ask, reply.input_tokens or 0):
            said = f"{server.host} read {reply.input_tokens} tokens of a longer question"
            raise ReaderError("account", f"{said}: give it a larger context window")
        return reply

    def _model(self, server: Server, client: openai.OpenAI) -> str:
        """The vendor's, or the only one that a server has."""
        if server.url == self.url:
            return MODEL
        names = [str(getattr(model, "id", "")) for model in client.models.list().data or ()]
        if len(names) != 1 or _CLOUD.search(names[0]):
            raise ReaderError("account", f"{server.host} has {len(names)} models: name one")
        return names[0]

    def _arguments(self, ask: Ask, model: str, server: Server) -> dict[str, Any]:
        form = {"name": "answer", "strict": True, "schema": dict(ask.schema)}
        asked: dict[str, Any] = {
            "model": model,
            "messages": [
                {"role": "system", "content": ask.instructions},
                {"role": "user", "content": ask.text},
            ],
            "response_format": {"type": "json_schema", "json_schema": form},
        }
        is_own = server.url == self.url
        asked[_LIMITS[not is_own]] = ask.answer_tokens + READER_API_THINKING_TOKENS
        if is_own:
            asked["store"] = False
        return asked


def _client(server: Server, key: Key | None) -> openai.OpenAI:
    import openai

    return openai.OpenAI(
        api_key=key.secret if key else "none",
        base_url=server.url,
        max_retries=0,
        default_headers=http_clients.UNPACKED,
        http_client=openai.DefaultHttpxClient(**http_clients.settings(READER_CALL_SECONDS)),
    )


def _with_less(asked: dict[str, Any], error: openai.APIStatusError) -> dict[str, Any]:
    """What to ask instead; raise the error when it is about something else."""
    words = str(error.body)
    if error.status_code not in _UNSAID:
        raise error
    [limit] = asked.keys() & set(_LIMITS)
    other = _LIMITS[limit == _LIMITS[0]]
    if _OTHER_LIMIT.search(words) and other in words:
        return {name: value for name, value in asked.items() if name != limit} | {
            other: asked[limit]
        }
    if not _FORM.search(words):
        raise error
    less = {name: value for name, value in asked.items() if name != "response_format"}
    if _OF_OBJECTS.search(words) and not _NOT_OBJECTS.search(words):
        less["response_format"] = {"type": "json_object"}
    return less


def _is_unread(ask: Ask, read: int) -> bool:
    """Whether a server has left out a part of the question without saying so, as Ollama does: then
    what it read fills its window, whose size is mostly a power of two."""
    if read < READER_WINDOW_TOKENS or read & (read - 1):
        return False
    from ctxd.reader.costs import tokens_of

    return tokens_of(ask.prompt) > read * READER_UNREAD_FACTOR


def _failed(error: openai.APIStatusError, server: Server, model: str) -> Failed:
    return Failed(
        host=server.host,
        model=model,
        status=error.status_code,
        code=str(error.code or error.type or ""),
        words=str(error.body),
        headers=error.response.headers,
    )


def _reply(answer: Any) -> Reply:
    try:
        [chosen, *_] = answer.choices
        text, refusal = chosen.message.content or "", chosen.message.refusal
        reason, used = chosen.finish_reason, answer.usage
    except (AttributeError, TypeError, ValueError):
        raise ReaderError("malformed", "what came is no answer of this API") from None
    if refusal or reason == "content_filter":
        raise ReaderError("refused", "the model does not want to answer")
    return Reply(
        text=_THOUGHT.sub("", str(text)),
        model=str(answer.model or ""),
        input_tokens=counted(getattr(used, "prompt_tokens", None)),
        output_tokens=counted(getattr(used, "completion_tokens", None)),
        cut=reason == "length",
    )


BACKEND = _OpenAiApi()
