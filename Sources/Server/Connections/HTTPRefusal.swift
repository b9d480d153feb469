internal import Domain
internal import NIOHTTP1

/// The reason for which a request cannot be decoded.
enum HTTPRefusal: Sendable, Equatable {
  /// It is not HTTP.
  case malformed
  /// Its URL or its header fields are too long.
  case headTooLong

  /// Nil for an error that is not one of the request, such as a lost connection.
  init?(_ error: any Error) {
    switch error {
    case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection: return nil
    case HTTPParserError.headerOverflow: self = .headTooLong
    case is HTTPParserError: self = .malformed
    default: return nil
    }
  }

  var status: Int {
    switch self {
    case .malformed: 400
    case .headTooLong: 431
    }
  }

  var error: DomainError {
    switch self {
    case .malformed: DomainError(.malformedRequest)
    case .headTooLong: DomainError(.requestTooLong)
    }
  }
}
