internal import Domain
internal import FoundationEssentials

/// A reference to an object without a unique name: its id, the beginning of its id, its name, or the end of
/// its name.
struct Shortened {
  private let noun: String
  private let text: String
  private let list: String

  init(_ noun: String, _ text: String, list: String) {
    self.noun = noun
    self.text = text
    self.list = list
  }

  /// Returns the element that the text names. At least four characters of an id or a name are required,
  /// unless it is complete.
  ///
  /// - Throws: `not_found` if no element matches, `invalid_input` if several match.
  func find<Element>(
    in elements: [Element],
    id: (Element) -> UUID,
    called name: (Element) -> String
  ) throws -> Element {
    let typed = text.lowercased()
    var found = elements.filter { id($0).text == typed || name($0).lowercased() == typed }
    if found.isEmpty, typed.count >= 4 { found = elements.filter { id($0).text.hasPrefix(typed) } }
    if found.isEmpty, typed.count >= 4 { found = elements.filter { name($0).lowercased().hasSuffix(typed) } }
    guard let first = found.first else {
      throw DomainError(
        .notFound,
        "there is no \(noun) \(Quoted(text))",
        hint: ActingContexts.hint(for: text, among: elements.map(name), list: list)
      )
    }
    guard found.count == 1 else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) fits \(found.count) \(noun)s",
        hint: "use the id of one: \(found.prefix(5).map { id($0).text }.joined(separator: ", "))"
      )
    }
    return first
  }
}
