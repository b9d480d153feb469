internal import Apps

/// Names of generated trips.
enum TripsWords {
  static let sights = [
    "Lighthouse", "Old harbour", "Viewpoint", "Waterfall", "Market square", "Cathedral", "Beach", "Bridge",
    "Garden",
    "Museum", "Ridge", "Cove",
  ]

  static let destinations = [
    "Lofoten", "Lisbon", "Patagonia", "Kyoto", "Iceland", "Dolomites", "Highlands", "Azores",
  ]
}
