extension JSONValue {
  /// The value as compact JSON text, with members in their order.
  package var text: String {
    var output = ""
    write(to: &output, sortingKeys: false)
    return output
  }

  /// The value as canonical JSON text, for hashes: equal values have equal texts.
  ///
  /// Members are sorted by the bytes of their names, and numbers are in canonical form.
  package var canonicalText: String {
    var output = ""
    write(to: &output, sortingKeys: true)
    return output
  }

  private func write(to output: inout String, sortingKeys canonical: Bool) {
    switch self {
    case .null: output += "null"
    case .bool(let value): output += value ? "true" : "false"
    case .number(let number): output += canonical ? number.canonicalText : number.text
    case .string(let text): JSONString.append(text, to: &output)
    case .array(let elements):
      output += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { output += "," }
        element.write(to: &output, sortingKeys: canonical)
      }
      output += "]"
    case .object(let object):
      output += "{"
      let keys = canonical ? object.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } : object.keys
      for (index, key) in keys.enumerated() {
        if index > 0 { output += "," }
        JSONString.append(key, to: &output)
        output += ":"
        (object[key] ?? .null).write(to: &output, sortingKeys: canonical)
      }
      output += "}"
    }
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as compact JSON text.
  package var description: String { text }
}
