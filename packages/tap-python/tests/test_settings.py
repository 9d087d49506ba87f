"""Options and environment → settings (spec, Tap client wrapper 5 to 7): the rows of the JavaScript package's own test."""

from __future__ import annotations

import unittest
from typing import Any, Dict

from metergate_tap.settings import DEFAULT_ENDPOINT, Settings, settings_of


def settings(environment: Dict[str, str], key: Any = None, endpoint: Any = None, inspect: Any = None) -> Settings:
    return settings_of(key, endpoint, inspect, environment.get)


class SettingsTest(unittest.TestCase):
    def test_nothing_configured(self) -> None:
        self.assertEqual(settings({}), Settings(key=None, endpoint="http://127.0.0.1:8081/tap/v1/events", inspecting=False))

    def test_an_option_overrides_its_variable_and_an_empty_one_or_another_type_counts_as_not_given(self) -> None:
        environment = {"SVC_TAP_KEY": "from-environment", "SVC_TAP_ENDPOINT": "https://environment.example/tap"}
        self.assertEqual(settings(environment, "k", "https://o.example/"), Settings("k", "https://o.example/", False))
        not_given = Settings("from-environment", "https://environment.example/tap", False)
        self.assertEqual(settings(environment, "", " "), not_given)
        self.assertEqual(settings(environment, 7, b"https://o.example/", "true"), not_given)

    def test_inspect_mode(self) -> None:
        for value in ["1", "true", "yes", "on", " TRUE ", "Yes", "\tOn\n"]:
            self.assertTrue(settings({"SVC_TAP_INSPECT": value}).inspecting, value)
        for value in ["", "0", "false", "no", "off", "11", "y", "t", "true!", "on on", "ye\u017f", "\uff11"]:
            self.assertFalse(settings({"SVC_TAP_INSPECT": value}).inspecting, value)

    def test_a_boolean_option_wins_over_the_environment_both_ways(self) -> None:
        self.assertFalse(settings({"SVC_TAP_INSPECT": "1"}, inspect=False).inspecting)
        self.assertTrue(settings({"SVC_TAP_INSPECT": "0"}, inspect=True).inspecting)
        self.assertFalse(settings({"SVC_TAP_INSPECT": "0"}, inspect=1).inspecting)

    def test_a_key_that_cannot_be_a_header_counts_as_none(self) -> None:
        self.assertEqual(settings({}, " svc_tap_1\n").key, "svc_tap_1")
        for key in ["a b", "a\0b", "clé", "a\r\nx: y"]:
            self.assertIsNone(settings({}, key).key, key)

    def test_an_unusable_endpoint_is_none(self) -> None:
        for usable in [DEFAULT_ENDPOINT, "https://m.example", "http://[::1]:8081/tap/v1/events", "HTTPS://m.example/x?y=1"]:
            self.assertEqual(settings({}, None, usable).endpoint, usable)
        for unusable in [
            "localhost:8081/tap", "ftp://m.example/", "https://", "https://u:p@m.example/", "http://a b/", "/tap/v1/events",
            "http\u017f://m.example/",
        ]:
            self.assertIsNone(settings({}, None, unusable).endpoint, unusable)
