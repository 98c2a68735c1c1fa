Bxj
location
input_0.pbj
offset1j
length8p