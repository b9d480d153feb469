/// By what people tell one record of a type from the others: the values of its key's columns, references by the
/// other record's key.
///
/// Two keys are the same when they differ in the case of letters or in space around them only, as the unique indexes
/// of the tables have it.
package struct RecordKey: Sendable {
  /// The values as written, in the order of the key's columns.
  package let parts: [JSONValue]

  /// Puts a key together.
  package init(_ parts: [JSONValue]) { self.parts = parts }

  /// How messages call it: `RM-001`, or `RM-001/Boom` where the key has several columns.
  package var text: String { Self.text(.array(parts)) }

  /// A reference as a file writes it: the one value, or all of them where there are several.
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
