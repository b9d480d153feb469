/// What a notice says.
package struct NoticeTemplate: Sendable, Hashable {
  /// The name by which effects call it.
  package let name: String
  /// One line; `{column}` stands for a column of the record's view.
  package let title: String
  /// The rest, in the same notation.
  package let body: String

  /// Puts a template together.
  package init(name: String, title: String, body: String) {
    self.name = name
    self.title = title
    self.body = body
  }

  /// Fills a line in; a column that the record lacks, or that is null, leaves nothing behind.
  ///
  /// What is filled in is never read for further braces.
  package static func fill(_ line: String, with fields: JSONObject) -> String {
    var text = ""
    var rest = line[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      text += rest[..<open]
      let column = String(rest[rest.index(after: open)..<close])
      if Identifier.isWord(column) {
        text += (fields[column] ?? .null).displayText
      } else {
        text += rest[open...close]
      }
      rest = rest[rest.index(after: close)...]
    }
    return text + rest
  }

  /// The columns that title and body name.
  package var columns: [String] {
    var found: [String] = []
    for line in [title, body] {
      for part in line.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
        guard let close = part.firstIndex(of: "}") else { continue }
        let column = String(part[..<close])
        if Identifier.isWord(column), !found.contains(column) { found.append(column) }
      }
    }
    return found
  }
}

extension JSONValue {
  /// The value as people read it: text without quotation marks, nothing for null.
  package var displayText: String {
    switch self {
    case .null: ""
    case .string(let text): text
    default: text
    }
  }
}

extension NoticeTemplate: NamedDecodable, Encodable {
  private enum CodingKeys: String, CodingKey {
    case name, title, body
  }

  package init(name: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["title", "body"] + (name == nil ? ["name"] : []))
    self.init(
      name: try name ?? object.required("name"),
      title: try object.required("title"),
      body: try object.value("body", default: "")
    )
  }
}
