/// Names and sentences shared by apps, with the non-ASCII letters, quotes and emoji that often break
/// programs.
package enum DemoWords {
  private static let first = [
    "Ana", "Olle", "Eva", "Vera", "Åsa", "Björn", "Çelik", "Dmitri", "Émile", "Fatima", "Göran", "Hanna",
    "Ines", "Jon",
    "Kjersti", "Luís", "Märta", "Niko", "Öystein", "Priya", "Quentin", "Rosa", "Søren", "Tuva", "Ulf", "Wei",
    "Ximena",
    "Yusuf", "Zoë", "Łukasz",
  ]
  private static let last = [
    "Berg", "Lindqvist", "Åström", "Holm", "O'Brien", "Müller", "García", "Nowak", "Rossi", "Dahl", "Jensen",
    "Sharma",
    "Kowalski", "Novák", "Silva", "Larsson", "Öberg", "van Dijk", "Fischer", "Sato",
  ]
  private static let places = [
    "Nordlinje", "Fjord", "Baltic", "Alpen", "Prairie", "Kestrel", "Sund", "Tundra", "Mesa", "Delta",
  ]
  private static let trades = [
    "Marking", "Roads", "Lines", "Works", "Service", "Contracting", "Household", "Surfaces",
  ]
  private static let faults = [
    "Hose on the left arm leaks", "Gun 3 drips", "Loses pressure when warm", "Stirrer is stuck",
    "Winter tyres",
    "Thermostat reads 20° too low", "Lamp, rear right", "Oil change", "Pump whistles", "Belt is worn",
    "Filter clogged; \"again\"", "Läcker vid kopplingen", "Nozzle worn", "Hydraulic oil low",
    "Battery is flat",
  ]

  static func company(_ random: inout DemoRandom, _ index: Int) -> String {
    "\(random.pick(places)) \(trades[index % trades.count])"
  }

  /// Returns the name of a user, which depends only on the series and the user's index.
  package static func person(_ series: DemoSeries, _ user: Int) -> String {
    var random = DemoRandom(series, "person", user)
    return "\(random.pick(first)) \(random.pick(last))"
  }

  package static func fault(_ random: inout DemoRandom) -> String { random.pick(faults) }

  /// Returns sentences with the given total number of characters.
  package static func text(_ random: inout DemoRandom, characters: Int) -> String {
    var (text, count) = ("", 0)
    text.reserveCapacity(characters + 60)
    // Counted incrementally, since `count` iterates over the whole text.
    while count < characters {
      let sentence = random.pick(sentences)
      text += sentence.text
      count += sentence.count
    }
    text.removeLast(count - characters)
    return text
  }

  private static let sentences = faults.map { (text: "\($0). ", count: $0.count + 2) }

  /// Returns a name in the form used in addresses and short names: ASCII letters, digits and dashes.
  static func slug(_ name: String) -> String {
    let plain: [Character: String] = [
      "å": "a", "ä": "a", "ö": "o", "ø": "o", "é": "e", "ë": "e", "ç": "c", "í": "i", "ü": "u", "á": "a",
      "ł": "l",
    ]
    let letters = name.lowercased().map {
      plain[$0] ?? ($0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "-")
    }
    return letters.joined().split(separator: "-").joined(separator: "-")
  }
}
