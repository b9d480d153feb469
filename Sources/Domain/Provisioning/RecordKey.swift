/// The natural key of a record: the values of its key columns. A reference is represented by the key of its
/// target.
///
/// Keys are compared without regard to case and to white space at the ends, as in the tables' unique indexes.
package struct RecordKey: Sendable {
  /// The values as written, in the order of the key's columns.
  package let parts: [JSONValue]

  package init(_ parts: [JSONValue]) { self.parts = parts }

  /// The key as a text for messages, such as `RM-001`; several columns are joined, as in `RM-001/Boom`.
  package var text: String { Self.text(.array(parts)) }

  /// The key as a reference in a file: the value of a single column, or a list for several columns.
  package var reference: JSONValue { parts.count == 1 ? parts[0] : .array(parts) }

  private static func text(_ value: JSONValue) -> String {
    switch value {
    case .array(let elements): elements.filter { !$0.isNull }.map(text).joined(separator: "/")
    case .string(let text): text
    default: value.text
    }
  }

  private static func normalized(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(let elements):
      elements.count == 1 ? normalized(elements[0]) : .array(elements.map(normalized))
    case .string(let text): .string(text.trimmingSpaces().lowercased())
    case .number(let number): .string(number.canonicalText)
    default: value
    }
  }

  private var normalized: JSONValue { Self.normalized(.array(parts)) }
}

extension RecordKey: Hashable {
  package static func == (left: RecordKey, right: RecordKey) -> Bool { left.normalized == right.normalized }

  package func hash(into hasher: inout Hasher) { hasher.combine(normalized) }
}
