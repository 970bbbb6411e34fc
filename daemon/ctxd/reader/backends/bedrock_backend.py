"""Amazon Bedrock, through its maker's library: models of many makers in the user's own account.

Who asks is told by AWS' own chain: environment, profile, single sign-on. Instances are not asked
for credentials over the network.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxd.policy.reader import (
    READER_API_THINKING_TOKENS,
    READER_CALL_SECONDS,
    READER_CONNECT_SECONDS,
)
from ctxd.reader.api_troubles import Failed, refusal_of, retry_after, unreached
from ctxd.reader.backends.api_backend import ApiBackend, counted
from ctxd.reader.servers import Server
from ctxd.reader.values import Ask, Choice, ReaderError, Ready, Reply, Trouble

if TYPE_CHECKING:
    from ctxd.reader.keys import Key

_CREDENTIALS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
)
_FILES = {"AWS_SHARED_CREDENTIALS_FILE": "credentials", "AWS_CONFIG_FILE": "config"}
_TROUBLES: dict[str, tuple[Trouble, str]] = {
    "AccessDeniedException": ("account", "the account may not use `{model}`"),
    "UnrecognizedClientException": ("key", "AWS does not take the credentials"),
    "InvalidSignatureException": ("key", "AWS does not take the credentials"),
    "ExpiredTokenException": ("key", "the AWS credentials have expired"),
    "ResourceNotFoundException": ("account", "there is no model `{model}` in this region"),
    "ModelTimeoutException": ("slow", "the model took too long"),
    "ModelNotReadyException": ("rate", "the model is not ready yet"),
    "ThrottlingException": ("rate", "AWS wants fewer calls"),
    "ServiceQuotaExceededException": ("rate", "a quota of the account is used up"),
    "ServiceUnavailableException": ("rate", "the model is overloaded"),
    "ModelErrorException": ("broken", "the model fails"),
}
_UNASKED: dict[str, tuple[Trouble, str]] = {
    "NoCredentialsError": ("key", "there are no AWS credentials"),
    "PartialCredentialsError": ("key", "the AWS credentials are not whole"),
    "CredentialRetrievalError": ("key", "the AWS credentials cannot be had"),
    "TokenRetrievalError": ("key", "the AWS login has expired"),
    "UnauthorizedSSOTokenError": ("key", "the AWS login has expired"),
    "SSOTokenLoadError": ("key", "the AWS login has expired"),
    "ProfileNotFound": ("key", "there is no such AWS profile"),
    "NoRegionError": ("account", "no AWS region is named: set `reader.region`"),
}
"""Why the library asks nobody."""
_READ = ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
_FORM = ("outputconfig", "textformat", "jsonschema", "json_schema", "structured", "schema")


class _Bedrock(ApiBackend):
    name = "bedrock"
    title = "Amazon Bedrock"
    company = "Amazon Bedrock"
    library = "boto3"
    needs_key = False

    def sends_to(self, choice: Choice) -> str:
        """Who gets the text; empty where it stays on this machine."""
        if choice.base_url:
            return super().sends_to(choice)
        return f"{self.company}, region {_region(choice) or 'of your AWS profile'}"

    def server(self, choice: Choice) -> Server:
        """The server that is asked; its name is AWS' business unless the settings name one."""
        if choice.base_url:
            return super().server(choice)
        return Server("", "Amazon Bedrock", is_local=False)

    def key(self, choice: Choice) -> Key | None:  # noqa: ARG002 each backend is asked so
        """None of ours."""
        return None

    def reached(self, what: str, server: Server, choice: Choice) -> Ready:  # noqa: ARG002 - AWS' own
        """As far as that is told without asking AWS."""
        if not choice.model:
            hint = "set `reader.model` to the id of a model or of an inference profile"
            return Ready(is_ready=False, what=what, why_not="no model is named", hint=hint)
        if not _has_credentials(os.environ):
            hint = "`aws configure sso`, or the variables of AWS in the environment"
            return Ready(is_ready=False, what=what, why_not="no AWS credentials", hint=hint)
        return Ready(is_ready=True, what=what)

    def environment(self, choice: Choice) -> Mapping[str, str]:
        """What the process' variables are to be: no credentials from the network, no other server
        than what the settings say."""
        own = {"AWS_EC2_METADATA_DISABLED": "true", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}
        return {**super().environment(choice), **own}

    def call(self, ask: Ask, choice: Choice, key: Key | None) -> Reply:  # noqa: ARG002 same
        """Ask; once more without the schema when the model cannot be held to one."""
        from botocore import exceptions

        server = self.server(choice)
        try:
            client = _client(choice)
            asked = _arguments(ask, choice)
            try:
                answer = _answer(client, asked, server)
            except exceptions.ClientError as error:
                if not _is_about_form(error):
                    raise
                del asked["outputConfig"]
                answer = _answer(client, asked, server)
        except exceptions.ClientError as error:
            raise _refusal(error, server, choice) from None
        except (exceptions.ReadTimeoutError, exceptions.ConnectTimeoutError):
            raise ReaderError("slow", f"{server.host} took too long") from None
        except (exceptions.HTTPClientError, exceptions.ConnectionError) as error:
            raise unreached(server.host, error) from None
        except exceptions.BotoCoreError as error:
            raise _of_configuration(error) from None
        return _reply(answer, choice)


def _region(choice: Choice) -> str:
    variables = os.environ
    return choice.region or variables.get("AWS_REGION") or variables.get("AWS_DEFAULT_REGION", "")


def _has_credentials(variables: Mapping[str, str]) -> bool:
    if any(variables.get(name) for name in _CREDENTIALS):
        return True
    folder = Path("~/.aws").expanduser()
    return any(
        Path(variables.get(name) or folder / file).is_file() for name, file in _FILES.items()
    )


def _client(choice: Choice) -> Any:
    import boto3
    from botocore.config import Config

    config = Config(
        retries={"total_max_attempts": 1},
        connect_timeout=READER_CONNECT_SECONDS,
        read_timeout=READER_CALL_SECONDS,
    )
    session = boto3.session.Session(region_name=_region(choice) or None)
    return session.client("bedrock-runtime", endpoint_url=choice.base_url or None, config=config)


def _arguments(ask: Ask, choice: Choice) -> dict[str, Any]:
    if not choice.model:
        raise ReaderError("account", "no model is named: set `reader.model`")
    form = {"name": "answer", "schema": json.dumps(dict(ask.schema))}
    return {
        "modelId": choice.model,
        "system": [{"text": ask.instructions}],
        "messages": [{"role": "user", "content": [{"text": ask.text}]}],
        "inferenceConfig": {"maxTokens": ask.answer_tokens + READER_API_THINKING_TOKENS},
        "outputConfig": {
            "textFormat": {"type": "json_schema", "structure": {"jsonSchema": form}},
        },
    }


def _answer(client: Any, asked: Mapping[str, Any], server: Server) -> Any:
    from botocore.parsers import ResponseParserError

    try:
        return client.converse(**asked)
    except (ResponseParserError, AttributeError, TypeError, ValueError):
        # Of JSON that is no object the library fails in ways of its own.
        raise ReaderError("malformed", f"{server.host} sent no answer") from None


def _is_about_form(error: Any) -> bool:
    said = error.response.get("Error", {})
    words = str(said.get("Message", "")).lower()
    return said.get("Code") == "ValidationException" and any(sign in words for sign in _FORM)


def _refusal(error: Any, server: Server, choice: Choice) -> ReaderError:
    said = error.response.get("Error", {})
    answer = error.response.get("ResponseMetadata", {})
    code = str(said.get("Code", ""))
    if code in _TROUBLES:
        trouble, message = _TROUBLES[code]
        wait = retry_after(answer.get("HTTPHeaders", {}))
        return ReaderError(trouble, message.format(model=choice.model), wait)
    return refusal_of(
        Failed(
            host=server.host,
            model=choice.model,
            status=int(answer.get("HTTPStatusCode", 500)),
            code=code,
            words=str(said.get("Message", "")),
            headers=answer.get("HTTPHeaders", {}),
        )
    )


def _of_configuration(error: BaseException) -> ReaderError:
    kind = type(error).__name__
    trouble, message = _UNASKED.get(kind, ("account", f"AWS' library refuses: {kind}"))
    return ReaderError(trouble, message)


def _reply(answer: Mapping[str, Any], choice: Choice) -> Reply:
    try:
        content = answer["output"]["message"]["content"]
        text = "".join(part.get("text", "") for part in content)
        reason, used = answer["stopReason"], answer.get("usage") or {}
    except (AttributeError, KeyError, TypeError):
        raise ReaderError("malformed", "what came is no answer of this API") from None
    if reason in ("guardrail_intervened", "content_filtered"):
        raise ReaderError("refused", "the model does not want to answer")
    if reason == "model_context_window_exceeded":
        raise ReaderError("long", "the question is too long for the model")
    return Reply(
        text=text,
        model=choice.model,
        input_tokens=counted(*map(used.get, _READ)),
        output_tokens=counted(used.get("outputTokens")),
        cut=reason == "max_tokens",
    )


BACKEND = _Bedrock()
