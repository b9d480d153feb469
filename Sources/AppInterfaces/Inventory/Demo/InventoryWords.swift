internal import Apps

/// Names of generated household items.
enum InventoryWords {
  static let things = [
    "Drill", "Washing machine", "Laptop", "Camera", "Sofa", "Lawn mower", "Espresso machine", "Bicycle",
    "Television",
    "Vacuum cleaner", "Headphones", "Tent", "Freezer", "Router", "Guitar", "Toaster",
  ]

  static let itemCategories = [
    "Tools", "Kitchen", "Electronics", "Garden", "Furniture", "Sport", "Appliances",
  ]

  static let locations = ["Garage", "Kitchen", "Attic", "Living room", "Cellar", "Office"]

  static let tags = ["warranty", "gift", "loan", "work", "kids", "fragile", "spare", "summer"]
}
