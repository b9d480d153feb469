extension SQL {
  /// Puts two pieces one after the other; the placeholders of the second are renumbered.
  public static func + (left: SQL, right: SQL) -> SQL {
    joined([left, right], separator: SQL(utf8: []))
  }

  /// Puts pieces one after the other with a separator between them, renumbering their placeholders.
  public static func joined(_ parts: [SQL], separator: SQL) -> SQL {
    var whole = StringInterpolation(
      literalCapacity: parts.reduce(0) { $0 + $1.utf8.count + 2 },
      interpolationCount: 0
    )
    for (index, part) in parts.enumerated() {
      if index > 0 { whole.append(separator) }
      whole.append(part)
    }
    return SQL(stringInterpolation: whole)
  }
}
