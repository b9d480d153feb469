internal import Domain
internal import FoundationEssentials
internal import Postgres

/// JSON values of optional values; nil becomes null.
enum JSONCell {
  static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// Returns an id in lower case.
  static func id(_ id: UUID?) -> JSONValue { id.map { .string($0.text) } ?? .null }

  /// Returns a time in RFC 3339, in UTC.
  static func time(_ time: Instant?) -> JSONValue { time.map { .string($0.description) } ?? .null }

  static func integer(_ number: Int?) -> JSONValue { number.map { .integer($0) } ?? .null }
}
