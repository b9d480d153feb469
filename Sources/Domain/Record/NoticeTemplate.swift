/// The text of a notice, with places for columns of a record.
package struct NoticeTemplate: Sendable, Hashable {
  /// The name by which effects of its app call it; `app.name` outside the app, see ``belonging(to:)``.
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

  /// The same template under the name that notices and preferences carry: two apps may have one of the same name.
  ///
  /// The templates of the engine itself have no app, and no dot in their names.
  package func belonging(to app: String) -> NoticeTemplate {
    NoticeTemplate(name: "\(app).\(name)", title: title, body: body)
  }

  /// Fills a line in; a column that the record lacks, or that is null, leaves nothing behind.
  ///
  /// Values are inserted literally: braces inside them are not expanded.
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
