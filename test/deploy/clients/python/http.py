"""How answers are read from the bytes that come, however these are cut."""

import unittest

from weir._http import AnswerReader, Malformed
from weir._retry import parse_retry_after


def read(data: bytes, size: int = 0, end: bool = False) -> AnswerReader:
    reader = AnswerReader()
    for at in range(0, len(data), size or len(data)):
        reader.feed(data[at : at + (size or len(data))])
    if end:
        reader.feed(b"")
    return reader


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nA: b\r\n\r\n"


class Answers(unittest.TestCase):
    def test_are_the_same_however_they_are_cut(self) -> None:
        for data in (
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\r\n\r\nabcde",
            b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200\r\ncontent-length:5\r\n\r\nabcde",
            CHUNKED,
        ):
            for size in (0, 1, 2, 3, 7):
                reader = read(data, size)
                self.assertTrue(reader.done)
                self.assertTrue(reader.reusable)
                self.assertEqual((reader.answer.status, reader.answer.body), (200, b"abcde"))

    def test_without_a_length_go_on_to_the_end_of_the_connection(self) -> None:
        data = b"HTTP/1.1 200 OK\r\n\r\nabc"
        self.assertFalse(read(data).done)
        reader = read(data, 1, end=True)
        self.assertEqual((reader.done, reader.reusable, reader.answer.body), (True, False, b"abc"))

    def test_that_end_too_early_are_an_error(self) -> None:
        for data in (b"", b"HTTP/1.1 200", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcd", CHUNKED[:-2]):
            reader = AnswerReader()
            if data:
                reader.feed(data)
            with self.assertRaises(EOFError):
                reader.feed(b"")

    def test_of_other_shapes_are_refused(self) -> None:
        for data in (
            b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
            b"HTTP/2 200\r\n\r\n",
            b"HTTP/1.1 101 Switching\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc",
            b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nA: " + b"b" * 70_000,
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 2000,
        ):
            with self.assertRaises(Malformed):
                read(data)

    def test_are_not_followed_by_another_one_over_a_connection_of_which_the_end_is_unclear(self) -> None:
        for data in (
            b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: Close\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
            CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Length: 9\r\n\r\n", 1),
        ):
            reader = read(data)
            self.assertEqual((reader.done, reader.reusable), (True, False))

    def test_have_headers_of_any_case_and_all_values(self) -> None:
        reader = read(b"HTTP/1.1 204 None\r\nSeT: 1\r\nset:2 \r\n\r\n")
        self.assertEqual((reader.done, reader.answer.headers), (True, {"set": "1, 2"}))


class RetryAfter(unittest.TestCase):
    def test_is_a_number_or_a_date_of_http_and_nothing_else(self) -> None:
        date = "Mon, 01 Jun 2026 10:00:00 GMT"
        later = "Mon, 01 Jun 2026 10:00:07 GMT"
        for header, expected in (("3", 3), (" 0 ", 0), (later, 7), (date, 0), ("3.5", None), ("-1", None), ("soon", None)):
            self.assertEqual(parse_retry_after(header, date, 0.0), expected, header)
        self.assertEqual(parse_retry_after(later, None, 1780308000.0), 7)
        self.assertIsNone(parse_retry_after(None, None, 0.0))


if __name__ == "__main__":
    unittest.main()
