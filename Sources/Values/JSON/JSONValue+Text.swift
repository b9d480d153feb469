extension JSONValue {
  /// The value as compact JSON text, with members in their order.
  package var text: String { written(sortingKeys: false) }

  /// The value as canonical JSON text, for hashes: equal values have equal texts.
  ///
  /// Members are sorted by the bytes of their names, and numbers are in canonical form.
  package var canonicalText: String { written(sortingKeys: true) }

  private func written(sortingKeys canonical: Bool) -> String {
    var output: [UInt8] = []
    write(to: &output, sortingKeys: canonical)
    return String(decoding: output, as: UTF8.self)
  }

  private func write(to output: inout [UInt8], sortingKeys canonical: Bool) {
    switch self {
    case .null: output += "null".utf8
    case .bool(let value): output += (value ? "true" : "false").utf8
    case .number(let number): output += (canonical ? number.canonicalText : number.text).utf8
    case .string(let text): JSONString.append(text, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        element.write(to: &output, sortingKeys: canonical)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object):
      output.append(UInt8(ascii: "{"))
      let members =
        canonical
        ? object.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : object.members
      for (index, member) in members.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        JSONString.append(member.key, to: &output)
        output.append(UInt8(ascii: ":"))
        member.value.write(to: &output, sortingKeys: canonical)
      }
      output.append(UInt8(ascii: "}"))
    }
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as compact JSON text.
  package var description: String { text }
}
