"""What the APIs say that a reader is asked through, each in its own form, and how it is chosen."""

import json
from typing import Any, ClassVar

from ctxd.reader.answer import schema
from ctxd.reader.values import Ask, Choice
from scripted_api import Said

KEY = "sk-test-0123456789abcdefghijklmnopqrstuvwxyz"
TEXT = "user: nah, sqlite is fine"
ASK = Ask(instructions="Say what was decided.", text=TEXT, schema=schema(), answer_tokens=1000)
ANSWER = '{"items":[],"not_items":["c1"]}'


class AnthropicShape:
    name = "anthropic"
    path = "/v1/messages"
    suffix = ""
    variables: ClassVar = {"ANTHROPIC_API_KEY": KEY}
    url_variable = "ANTHROPIC_BASE_URL"
    refusing = "refusal"
    too_long = ("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
    no_form = ("invalid_request_error", "output_config: Extra inputs are not permitted")

    def answer(self, text: str = ANSWER, reason: str = "end_turn") -> dict[str, Any]:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "model-1-20260101",
            "content": [{"type": "text", "text": text}],
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {
                "input_tokens": 90,
                "cache_read_input_tokens": 10,
                "cache_creation_input_tokens": 0,
                "output_tokens": 7,
            },
        }

    def cut(self) -> dict[str, Any]:
        return self.answer('{"items":[', "max_tokens")

    def failure(self, status: int, code: str, words: str, **headers: str) -> Said:
        body = {"type": "error", "error": {"type": code, "message": words}, "request_id": "req_1"}
        return Said(body, status, headers)

    def form_of(self, body: dict[str, Any]) -> Any:
        """The schema that a request holds the model to."""
        return body.get("output_config", {}).get("format", {}).get("schema")

    def words_of(self, body: dict[str, Any]) -> tuple[str, str]:
        """Instructions and text of a request."""
        return body["system"], body["messages"][0]["content"]


class OpenAiShape:
    name = "openai"
    path = "/v1/chat/completions"
    suffix = "/v1"
    variables: ClassVar = {"OPENAI_API_KEY": KEY}
    url_variable = "OPENAI_BASE_URL"
    refusing = "content_filter"
    too_long = ("context_length_exceeded", "This model's maximum context length is 8192 tokens")
    no_form = ("invalid_request_error", "Invalid parameter: 'response_format' of type json_schema")

    def answer(self, text: str = ANSWER, reason: str = "stop") -> dict[str, Any]:
        message = {"role": "assistant", "content": text, "refusal": None}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "model-1-20260101",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107},
        }

    def cut(self) -> dict[str, Any]:
        return self.answer('{"items":[', "length")

    def failure(self, status: int, code: str, words: str, **headers: str) -> Said:
        said = {"message": words, "type": "invalid_request_error", "param": None, "code": code}
        return Said({"error": said}, status, headers)

    def form_of(self, body: dict[str, Any]) -> Any:
        return body.get("response_format", {}).get("json_schema", {}).get("schema")

    def words_of(self, body: dict[str, Any]) -> tuple[str, str]:
        return body["messages"][0]["content"], body["messages"][1]["content"]


class BedrockShape:
    name = "bedrock"
    path = "/model/model-1/converse"
    suffix = ""
    variables: ClassVar = {
        "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
        "AWS_SECRET_ACCESS_KEY": KEY,
        "AWS_REGION": "eu-central-1",
    }
    url_variable = ""
    refusing = "guardrail_intervened"
    too_long = ("ValidationException", "Input is too long for requested model")
    no_form = ("ValidationException", "The model does not support outputConfig.textFormat")

    def answer(self, text: str = ANSWER, reason: str = "end_turn") -> dict[str, Any]:
        message = {"role": "assistant", "content": [{"text": text}]}
        return {
            "output": {"message": message},
            "stopReason": reason,
            "usage": {"inputTokens": 100, "outputTokens": 7, "totalTokens": 107},
            "metrics": {"latencyMs": 5},
        }

    def cut(self) -> dict[str, Any]:
        return self.answer('{"items":[', "max_tokens")

    def failure(self, status: int, code: str, words: str, **headers: str) -> Said:
        return Said({"message": words}, status, {"x-amzn-ErrorType": code, **headers})

    def form_of(self, body: dict[str, Any]) -> Any:
        form = body.get("outputConfig", {}).get("textFormat", {}).get("structure", {})
        return json.loads(form["jsonSchema"]["schema"]) if form else None

    def words_of(self, body: dict[str, Any]) -> tuple[str, str]:
        return body["system"][0]["text"], body["messages"][0]["content"][0]["text"]


SHAPES = (AnthropicShape(), OpenAiShape(), BedrockShape())


def choice_of(shape: Any, url: str, **more: Any) -> Choice:
    """A server that speaks one of them, chosen as the settings would."""
    return Choice(backend=shape.name, base_url=url + shape.suffix, **{"model": "model-1", **more})
