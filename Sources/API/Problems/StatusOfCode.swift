internal import Domain

/// The HTTP status codes of error codes.
enum StatusOfCode {
  /// Returns the status of an error code.
  ///
  /// - Parameter isConditional: true if the request had `If-Match`.
  static func status(of code: ErrorCode, isConditional: Bool = false) -> Int {
    switch code {
    case .unauthenticated, .sessionExpired, .signInRefused: return 401
    case .stale where isConditional: return 412
    case .invalidJSON, .malformedRequest: return 400
    case .requestTooLong: return 431
    case .linkExpired, .resyncRequired: return 410
    case .clientOutdated: return 426
    case .payloadTooLarge: return 413
    case .unsupportedMedia: return 415
    case .methodNotAllowed: return 405
    case .rateLimited: return 429
    default: break
    }
    return switch code.category {
    case .notFound: 404
    case .denied: 403
    case .conflict: 409
    case .invalid: 422
    case .unavailable: 503
    case .internal: 500
    }
  }
}
