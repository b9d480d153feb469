/// Sends requests to one server.
///
/// An implementation throws ``ClientError`` with the kind `offline` if the request was certainly not sent, and
/// `unanswered` if it may have arrived. A refusal of the server is an answer, not an error.
public protocol Transport: Sendable {
  /// Sends a request, and returns the whole answer.
  func send(_ request: Request) async throws -> Response
}
