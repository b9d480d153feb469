internal import Domain

/// Names and sentences for things that are made up; with letters, quotes and pictures that programs trip over.
enum DemoWords {
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
  private static let machines = [
    "Hofmann H26 line marker", "Graco LineLazer V 250", "Thermoplast kettle", "Support truck",
    "Sweeper \"Big Blue\"",
    "Compressor, trailer-mounted", "Målarbil Å-1", "Bead gun 🚧", "Pre-marker", "Water jet",
  ]
  private static let faults = [
    "Hose on the left arm leaks", "Gun 3 drips", "Loses pressure when warm", "Stirrer is stuck",
    "Winter tyres",
    "Thermostat reads 20° too low", "Lamp, rear right", "Oil change", "Pump whistles", "Belt is worn",
    "Filter clogged; \"again\"", "Läcker vid kopplingen", "Nozzle worn", "Hydraulic oil low",
    "Battery is flat",
  ]
  private static let things = [
    "Drill", "Washing machine", "Laptop", "Camera", "Sofa", "Lawn mower", "Espresso machine", "Bicycle",
    "Television",
    "Vacuum cleaner", "Headphones", "Tent", "Freezer", "Router", "Guitar", "Toaster",
  ]
  private static let sights = [
    "Lighthouse", "Old harbour", "Viewpoint", "Waterfall", "Market square", "Cathedral", "Beach", "Bridge",
    "Garden",
    "Museum", "Ridge", "Cove",
  ]
  private static let destinations = [
    "Lofoten", "Lisbon", "Patagonia", "Kyoto", "Iceland", "Dolomites", "Highlands", "Azores",
  ]

  static let baseCategories = [
    "Hydraulics", "Paint system", "Spray guns", "Compressor", "Engine", "Electrical", "Tyres",
    "Glass-bead unit",
  ]
  static let itemCategories = [
    "Tools", "Kitchen", "Electronics", "Garden", "Furniture", "Sport", "Appliances",
  ]
  static let locations = ["Garage", "Kitchen", "Attic", "Living room", "Cellar", "Office"]
  static let tags = ["warranty", "gift", "loan", "work", "kids", "fragile", "spare", "summer"]
  static let meals = [
    "Porridge", "Lunch", "Dinner", "Shake", "Yoghurt and berries", "Pasta", "Salad", "Sandwich",
  ]

  static func company(_ random: inout DemoRandom, _ index: Int) -> String {
    "\(random.pick(places)) \(trades[index % trades.count])"
  }

  static func person(_ series: DemoSeries, _ user: Int) -> String {
    var random = DemoRandom(series, "person", user)
    return "\(random.pick(first)) \(random.pick(last))"
  }

  static func machine(_ random: inout DemoRandom) -> String { random.pick(machines) }
  static func fault(_ random: inout DemoRandom) -> String { random.pick(faults) }
  static func thing(_ random: inout DemoRandom) -> String { random.pick(things) }
  static func sight(_ random: inout DemoRandom) -> String { random.pick(sights) }
  static func destination(_ random: inout DemoRandom) -> String { random.pick(destinations) }

  /// A sentence or many, of so many characters.
  static func text(_ random: inout DemoRandom, characters: Int) -> String {
    var (text, count) = ("", 0)
    text.reserveCapacity(characters + 60)
    // Counted as they come: to count characters is to walk over the whole text.
    while count < characters {
      let sentence = random.pick(sentences)
      text += sentence.text
      count += sentence.count
    }
    text.removeLast(count - characters)
    return text
  }

  private static let sentences = faults.map { (text: "\($0). ", count: $0.count + 2) }

  /// A name as an address or a short name has it: ASCII letters, digits and dashes.
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
