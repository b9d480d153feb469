/// The blanks, signs, brackets and currency around the digits of a number.
struct NumberFrame {
  /// What is left between them.
  private(set) var rest: ArraySlice<Unicode.Scalar>
  private(set) var currency: String?
  private(set) var isNegative = false
  private var signs = 0

  init(_ text: [Unicode.Scalar]) {
    rest = text[...]
  }

  /// Removes the frame from outside inwards.
  ///
  /// - Returns: false for more than one sign or currency.
  mutating func peel() -> Bool {
    while true {
      while let first = rest.first, Self.isBlank(first) { rest.removeFirst() }
      while let last = rest.last, Self.isBlank(last) { rest.removeLast() }
      let before = rest.count
      if rest.first == "(", rest.last == ")", rest.count > 1 {
        rest = rest.dropFirst().dropLast()
        take(negative: true)
      }
      if let first = rest.first, let isMinus = Self.sign(first) {
        rest.removeFirst()
        take(negative: isMinus)
      }
      // A dash after an amount, as in `48,–`, is no minus.
      if let last = rest.last, last == "-" || last == "\u{2212}" {
        rest.removeLast()
        take(negative: true)
      }
      guard takeCurrencies() else { return false }
      if rest.count == before { return signs <= 1 }
    }
  }

  private mutating func take(negative: Bool) {
    signs += 1
    isNegative = negative
  }

  private mutating func takeCurrencies() -> Bool {
    var front = rest.prefix { !Self.belongsToNumber($0) }
    var back = rest[(rest.lastIndex(where: Self.belongsToNumber) ?? rest.endIndex - 1) + 1..<rest.endIndex]
    // Abbreviations may end with a point: `kr. 12`, `12 kr.`.
    if rest.last == ".", let start = rest.dropLast().lastIndex(where: Self.belongsToNumber),
      start + 1 < rest.endIndex - 1
    {
      back = rest[(start + 1)..<(rest.endIndex - 1)]
    }
    if front.count == rest.count { front = [] }
    if !front.isEmpty, let name = Self.currency(front) {
      guard take(name) else { return false }
      rest = rest.dropFirst(front.count)
      if rest.first == ".", let next = rest.dropFirst().first, Self.isBlank(next) { rest.removeFirst() }
    }
    if !back.isEmpty, let name = Self.currency(back) {
      guard take(name) else { return false }
      rest = rest[..<back.startIndex]
    }
    return true
  }

  private mutating func take(_ name: String) -> Bool {
    guard currency == nil else { return false }
    currency = name
    return true
  }

  /// Returns the name of a currency in lower case; nil for another text.
  private static func currency(_ text: ArraySlice<Unicode.Scalar>) -> String? {
    var name = String.UnicodeScalarView()
    name.append(contentsOf: text)
    let word = String(name).lowercased()
    if let code = signs[word] ?? (words.contains(word) ? word : nil) { return code }
    return text.count == 1 && text.first?.properties.generalCategory == .currencySymbol ? word : nil
  }

  /// True for minus, false for plus, nil for another character.
  private static func sign(_ scalar: Unicode.Scalar) -> Bool? {
    switch scalar {
    case "-", "\u{2212}", "\u{2013}": true
    case "+": false
    default: nil
    }
  }

  /// True for characters that are not part of a currency.
  private static func belongsToNumber(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.numericType != nil || sign(scalar) != nil || isBlank(scalar)
      || "().,'\u{2019}\u{02BC}".unicodeScalars.contains(scalar)
  }

  /// True for the blanks that separate thousands: no-break, narrow no-break, thin and figure spaces too.
  static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    [" ", "\u{A0}", "\u{202F}", "\u{2009}", "\u{2007}", "\u{205F}"].contains(scalar)
  }

  /// True if a name of a currency can mean the one with a code, both in lower case. A sign that is not known may mean any.
  static func can(_ name: String, mean code: String) -> Bool {
    if name == code { return true }
    if let codes = meanings[name] { return codes.contains(code) }
    let isCode = words.contains(name) || signs.values.contains(name)
    return !isCode
  }

  private static let meanings: [String: Set<String>] = [
    "kr": ["dkk", "isk", "nok", "sek"], "fr": ["chf", "xaf", "xof", "xpf"], "sfr": ["chf"], "ft": ["huf"],
    "lei": ["mdl", "ron"], "rs": ["inr", "lkr", "mur", "npr", "pkr", "scr"], "a$": ["aud"], "au$": ["aud"],
    "c$": ["cad"], "ca$": ["cad"], "hk$": ["hkd"], "nz$": ["nzd"], "r$": ["brl"], "s$": ["sgd"],
    "us$": ["usd"],
    "$": ["ars", "aud", "brl", "cad", "clp", "cop", "hkd", "mxn", "nzd", "sgd", "twd", "usd"],
    "¥": ["cny", "jpy"], "₩": ["krw", "kpw"], "₽": ["rub"],
    "₪": ["ils"], "฿": ["thb"], "₫": ["vnd"], "₴": ["uah"], "₱": ["php"],
  ]

  private static let signs = ["€": "eur", "£": "gbp", "₹": "inr", "₺": "try", "zł": "pln", "kč": "czk"]
  private static let words: Set<String> = [
    "aed", "ars", "aud", "bgn", "brl", "cad", "chf", "clp", "cny", "cop", "czk", "dkk", "egp", "eur", "gbp",
    "hkd", "huf", "idr", "ils", "inr", "isk", "jpy", "kes", "krw", "mad", "mxn", "myr", "ngn", "nok", "nzd",
    "pen", "php", "pln", "ron", "rsd", "rub", "sar", "sek", "sgd", "thb", "try", "twd", "uah", "usd", "vnd",
    "zar", "kr", "fr", "sfr", "ft", "lei", "rs", "a$", "au$", "c$", "ca$", "hk$", "nz$", "r$", "s$", "us$",
  ]
}
