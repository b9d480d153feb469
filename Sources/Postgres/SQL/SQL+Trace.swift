/// A value that was bound to a placeholder, as the server was given it.
package struct BoundValue: Sendable, Hashable {
  /// The OID of its type; 0 when the server was left to infer it.
  package let type: UInt32
  /// PostgreSQL's binary format; nil for null.
  package let bytes: [UInt8]?
}

extension SQL {
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

  /// The text with each placeholder replaced; the first one has the number 0.
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
