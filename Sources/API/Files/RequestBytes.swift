/// The body of a request as parts.
enum RequestBytes {
  /// Returns the parts of the body, and its length if the client declared it.
  static func parts(of request: APIRequest) -> (APIByteStream, length: Int?) {
    switch request.body {
    case .none: (stream([]), 0)
    case .bytes(let bytes): (stream([bytes]), bytes.count)
    case .stream(let stream, let length): (stream, length)
    }
  }

  private static func stream(_ parts: [[UInt8]]) -> APIByteStream {
    APIByteStream { continuation in
      for part in parts { continuation.yield(part) }
      continuation.finish()
    }
  }
}
