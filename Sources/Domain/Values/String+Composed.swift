@_spi(_Unicode) internal import Swift

extension String {
  /// The text in Unicode's form NFC: letters with accents are one character each where Unicode has one. Texts that people
  /// see as equal, and that Swift compares as equal, have equal bytes then.
  ///
  /// FoundationEssentials lacks this; the standard library has it for its own comparisons.
  package var composed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var scalars = UnicodeScalarView()
    scalars.append(contentsOf: _nfc)
    return String(scalars)
  }
}
