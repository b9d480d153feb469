package import Domain

/// A JSON Schema (draft 2020-12, as OpenAPI 3.1 uses it).
package indirect enum Schema: Sendable {
  case string
  /// A string of a format, such as `uuid`, `date-time`, `date` or `email`.
  case format(String)
  case enumeration([String])
  case text(maximum: Int)
  case integer(minimum: Int64? = nil, maximum: Int64? = nil)
  /// A decimal number as JSON number.
  case number
  case boolean
  case array(of: Schema, maximum: Int? = nil)
  /// An object. Members that are not named are refused in requests.
  case object([Member], open: Bool = false)
  case nullable(Schema)
  /// A schema of the document's components, by its name.
  case component(String)
  /// A schema written out.
  case raw(JSONObject)

  /// A member of an object.
  package struct Member: Sendable {
    package let name: String
    package let schema: Schema
    package let isRequired: Bool
    package let description: String?

    package init(_ name: String, _ schema: Schema, isRequired: Bool = true, _ description: String? = nil) {
      self.name = name
      self.schema = schema
      self.isRequired = isRequired
      self.description = description
    }

    /// Returns a member that may be left out.
    package static func optional(_ name: String, _ schema: Schema, _ description: String? = nil) -> Member {
      Member(name, schema, isRequired: false, description)
    }
  }

  /// Returns the schema of whole numbers in a range.
  package static func integer(_ range: ClosedRange<Int64>) -> Schema {
    .integer(minimum: range.lowerBound, maximum: range.upperBound)
  }

  package static let uuid = Schema.format("uuid")
  package static let time = Schema.format("date-time")
  package static let date = Schema.format("date")
  package static let email = Schema.format("email")
  /// Any JSON object.
  package static let anyObject = Schema.object([], open: true)
}
