/// A request to the server.
public struct Request: Sendable, Hashable {
  /// The methods that the client uses.
  public enum Method: String, Sendable, Hashable {
    /// Reads.
    case get = "GET"
    /// Reads header fields.
    case head = "HEAD"
    /// Creates or acts.
    case post = "POST"
    /// Sends the bytes of a file.
    case put = "PUT"
    /// Appends bytes to a file.
    case patch = "PATCH"
    /// Ends or removes.
    case delete = "DELETE"
  }

  /// The method.
  public var method: Method
  /// The path with the query, percent-encoded, such as `/v1/me`.
  public var target: String
  /// The header fields. Their names are lower case.
  public var headers: [String: String]
  /// The body; empty if there is none.
  public var body: [UInt8]
  /// The time after which the request counts as unanswered.
  public var timeout: Duration

  /// Creates a request.
  public init(
    _ method: Method,
    _ target: String,
    headers: [String: String] = [:],
    body: [UInt8] = [],
    timeout: Duration = .seconds(60)
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }

  /// Creates a request with a body of JSON.
  init(_ method: Method, _ target: String, json: String) {
    self.init(method, target, headers: ["content-type": "application/json"], body: Array(json.utf8))
  }

  init(_ method: Method, _ target: String, json: [String: FieldValue]) {
    self.init(method, target, json: FieldValue.object(json).description)
  }
}
