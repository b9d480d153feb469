print("fettle")
