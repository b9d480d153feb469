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

  /// Percent-encodes a value of a query or a segment of a path.
  static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count == 1 ? "0" + digits : digits)
      }
    }
    return result
  }
}
