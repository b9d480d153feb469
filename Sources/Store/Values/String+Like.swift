extension String {
  /// The text with the special characters of `like` escaped.
  package var escapedForLike: String {
    var result = ""
    for character in self {
      if "%_\\".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }
}
