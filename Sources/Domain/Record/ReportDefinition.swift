/// A view that operators read under a name.
package struct ReportDefinition: Sendable, Hashable {
  /// The name of the command's argument.
  package let name: String
  /// What people call it.
  package let title: String
  /// The view, in the reporting schema.
  package let view: String

  /// Puts a report together.
  package init(name: String, title: String, view: String) {
    self.name = name
    self.title = title
    self.view = view
  }
}

extension ReportDefinition: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, title, view
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["name", "title", "view"])
    self.init(
      name: try object.required("name"),
      title: try object.required("title"),
      view: try object.required("view")
    )
    guard Identifier.isWord(name) else {
      throw object.invalid("name", "\(Quoted(name)) is not a report's name")
    }
    guard Identifier.isDotted(view, words: 2...2) else {
      throw object.invalid("view", "\(Quoted(view)) is not schema.view")
    }
  }
}
