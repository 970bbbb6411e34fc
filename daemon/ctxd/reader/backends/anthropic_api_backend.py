"""Anthropic's API, through its maker's library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxd.policy.reader import READER_API_THINKING_TOKENS, READER_CALL_SECONDS
from ctxd.reader import http_clients
from ctxd.reader.api_troubles import Failed, refusal_of, unreached
from ctxd.reader.backends.api_backend import ApiBackend, counted
from ctxd.reader.servers import Server
from ctxd.reader.values import Ask, Choice, ReaderError, Reply

if TYPE_CHECKING:
    import anthropic

    from ctxd.reader.keys import Key

MODEL = "claude-sonnet-5-5"
_READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_FORM = ("output_config", "output_format", "json_schema", "structured", "schema", "extra inputs")
"""What a server says that does not know how to hold a model to a schema, or not to this one."""


class _AnthropicApi(ApiBackend):
    name = "anthropic"
    title = "Anthropic's API"
    company = "Anthropic"
    library = "anthropic"
    key_variable = "ANTHROPIC_API_KEY"
    url_variable = "ANTHROPIC_BASE_URL"
    url = "https://api.anthropic.com"
    hushed = ("ANTHROPIC_LOG", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_AUTH_TOKEN")

    def call(self, ask: Ask, choice: Choice, key: Key | None) -> Reply:
        """Ask; once more without the schema when the server does not know it."""
        import anthropic

        server = self.server(choice)
        model = choice.model or MODEL
        with _client(server, key) as client:
            asked = _arguments(ask, model)
            try:
                try:
                    message = client.messages.create(**asked)
                except anthropic.BadRequestError as error:
                    if not any(sign in str(error.body).lower() for sign in _FORM):
                        raise
                    del asked["output_config"]
                    message = client.messages.create(**asked)
            except anthropic.APIStatusError as error:
                raise refusal_of(_failed(error, server, model)) from None
            except anthropic.APITimeoutError:
                raise ReaderError("slow", f"{server.host} took too long") from None
            except anthropic.APIConnectionError as error:
                raise unreached(server.host, error) from None
            except (anthropic.APIResponseValidationError, ValueError):
                raise ReaderError("malformed", f"{server.host} sent no answer") from None
        return _reply(message)


def _client(server: Server, key: Key | None) -> anthropic.Anthropic:
    import anthropic

    return anthropic.Anthropic(
        api_key=key.secret if key else "none",
        base_url=server.url,
        max_retries=0,
        default_headers=http_clients.UNPACKED,
        http_client=anthropic.DefaultHttpxClient(**http_clients.settings(READER_CALL_SECONDS)),
        open_telemetry=False,
    )


def _arguments(ask: Ask, model: str) -> dict[str, Any]:
    return {
        "model": model,
        "max_tokens": ask.answer_tokens + READER_API_THINKING_TOKENS,
        "system": ask.instructions,
        "messages": [{"role": "user", "content": ask.text}],
        "output_config": {"format": {"type": "json_schema", "schema": dict(ask.schema)}},
    }


def _failed(error: anthropic.APIStatusError, server: Server, model: str) -> Failed:
    return Failed(
        host=server.host,
        model=model,
        status=error.status_code,
        code=str(error.type or ""),
        words=str(error.body),
        headers=error.response.headers,
    )


def _reply(message: Any) -> Reply:
    try:
        reason, used = message.stop_reason, getattr(message, "usage", None)
        text = "".join(part.text for part in message.content if part.type == "text")
    except (AttributeError, TypeError):
        raise ReaderError("malformed", "what came is no answer of this API") from None
    if reason == "refusal":
        raise ReaderError("refused", "the model does not want to answer")
    if reason == "model_context_window_exceeded":
        raise ReaderError("long", "the question is too long for the model")
    return Reply(
        text=text,
        model=str(message.model),
        input_tokens=counted(*(getattr(used, name, None) for name in _READ)),
        output_tokens=counted(getattr(used, "output_tokens", None)),
        cut=reason == "max_tokens",
    )


BACKEND = _AnthropicApi()
