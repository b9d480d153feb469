/// The methods that routes answer.
package enum APIMethod: String, Sendable, Hashable, CaseIterable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
  case options = "OPTIONS"

  /// True for a method that changes nothing.
  package var isSafe: Bool { self == .get || self == .head || self == .options }
}
