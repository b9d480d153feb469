/// A bound value as it was sent to the server.
package struct BoundValue: Sendable, Hashable {
  /// The OID of its type; 0 if the server infers it.
  package let type: UInt32
  /// The value in PostgreSQL's binary format; nil for null.
  package let bytes: [UInt8]?
}

extension SQL {
  /// Returns a query for the name of the value's type and the value as text. One row with two columns.
  package static func describing(_ value: BoundValue) -> SQL {
    var parameters = ParameterBuffer()
    let text = "select format_type(\(value.type == 0 ? PostgresType.text.oid : value.type), null), ($1)::text"
    parameters.append(value.bytes, type: value.type, at: text.utf8.count - 9)
    return SQL(utf8: Array(text.utf8), parameters: parameters)
  }

  /// The bound values, in the order of their placeholders.
  package var boundValues: [BoundValue] {
    parameters.slots.map { slot in
      BoundValue(
        type: slot.type,
        bytes: slot.length < 0
          ? nil : Array(parameters.bytes[Int(slot.offset)..<Int(slot.offset + slot.length)])
      )
    }
  }

  /// Returns the text with each placeholder replaced.
  ///
  /// - Parameter placeholder: returns the replacement for the value with this index, counted from 0.
  package func text(replacing placeholder: (Int) -> String) -> String {
    var text = ""
    var copied = 0
    for (index, slot) in parameters.slots.enumerated() {
      let start = Int(slot.placeholder)
      text += String(decoding: utf8[copied..<start], as: UTF8.self) + placeholder(index)
      copied = start + 1 + String(index + 1).utf8.count
    }
    return text + String(decoding: utf8[copied...], as: UTF8.self)
  }
}
