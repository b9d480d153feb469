internal import Apps

/// Names of generated machines and categories.
enum MaintenanceWords {
  static let machines = [
    "Hofmann H26 line marker", "Graco LineLazer V 250", "Thermoplast kettle", "Support truck",
    "Sweeper \"Big Blue\"",
    "Compressor, trailer-mounted", "Målarbil Å-1", "Bead gun 🚧", "Pre-marker", "Water jet",
  ]

  static let baseCategories = [
    "Hydraulics", "Paint system", "Spray guns", "Compressor", "Engine", "Electrical", "Tyres",
    "Glass-bead unit",
  ]
}
