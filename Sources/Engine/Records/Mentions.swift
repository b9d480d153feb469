/// Finds the members mentioned in a text: `@ana`, unless the `@` directly follows a letter, a digit or one of
/// `._-+`.
struct Mentions {
  /// The handles in lower case, without duplicates, in order of appearance. Handles above 64 bytes are left
  /// out.
  let handles: [String]

  init(in text: String) {
    var found: [String] = []
    var before: Character = " "
    var rest = text[...]
    while let character = rest.first {
      rest.removeFirst()
      defer { before = character }
      // An `@` in the middle of a word belongs to an email address.
      guard character == "@", !(before.isLetter || before.isNumber || "._-+".contains(before)) else {
        continue
      }
      var handle = rest.prefix { $0.isLetter || $0.isNumber || "._-+".contains($0) }
      while let last = handle.last, "._-+".contains(last) { handle.removeLast() }
      let name = handle.lowercased()
      if !name.isEmpty, name.utf8.count <= 64, !found.contains(name) { found.append(name) }
    }
    handles = found
  }
}
